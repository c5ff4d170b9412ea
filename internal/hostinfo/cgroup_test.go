package hostinfo

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"wordsize/internal/result"
)

const (
	unlimited64 = "9223372036854771712\n" // version 1 on a 64-bit kernel
	v2Mount     = "30 23 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
)

func sameCgroup(t *testing.T, got, want *result.Cgroup) {
	t.Helper()
	if got == nil || want == nil {
		if got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		return
	}
	same(t, "limit", got.MemoryLimitBytes, want.MemoryLimitBytes)
	same(t, "used", got.MemoryUsedBytes, want.MemoryUsedBytes)
	same(t, "free", got.MemoryFreeBytes, want.MemoryFreeBytes)
	same(t, "CPUs", got.CPUs, want.CPUs)
	if got.Version != want.Version || got.Path != want.Path || got.LimitPath != want.LimitPath {
		t.Errorf("version %d, path %q, limit in %q; want %d, %q, %q",
			got.Version, got.Path, got.LimitPath, want.Version, want.Path, want.LimitPath)
	}
}

func TestReadCgroupCaptured(t *testing.T) {
	tests := []struct {
		tree string
		want *result.Cgroup
	}{
		// The tightest limit is job-17's 4 GiB; the least room is in batch.
		{"amd64-vm-v1", &result.Cgroup{Version: 1, Path: "/batch/job-17/worker",
			MemoryLimitBytes: val(int64(4 << 30)), MemoryUsedBytes: val(int64(1 << 30)),
			MemoryFreeBytes: val(int64(8<<30 - (7<<30 - 512<<20))), LimitPath: "/batch", CPUs: val(1.5)}},
		// 512 MiB on the parent, 300 MiB used, 100 MiB of them droppable cache.
		{"container-v2", &result.Cgroup{Version: 2, Path: "/kubepods.slice/pod7/ctr-1",
			MemoryLimitBytes: val(int64(512 << 20)), MemoryUsedBytes: val(int64(300 << 20)),
			MemoryFreeBytes: val(int64(312 << 20)), LimitPath: "/kubepods.slice/pod7", CPUs: val(0.5)}},
		// memory.high is below memory.max; CPU is version 1, without a quota.
		{"hybrid", &result.Cgroup{Version: 2, Path: "/user.slice/session-1.scope",
			MemoryLimitBytes: val(int64(2 << 30)), MemoryUsedBytes: val(int64(1 << 30)),
			MemoryFreeBytes: val(int64(1 << 30)), LimitPath: "/user.slice"}},
		{"i386-pae", nil},
	}
	for _, tt := range tests {
		t.Run(tt.tree, func(t *testing.T) {
			got, err := captured(tt.tree).ReadCgroup()
			if err != nil {
				t.Fatal(err)
			}
			sameCgroup(t, got, tt.want)
		})
	}
}

func TestReadCgroupContainers(t *testing.T) {
	v1 := func(root string) string {
		return "35 31 0:32 " + root + " /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	}
	mem := "sys/fs/cgroup/memory/"
	docker := map[string]string{
		mem + "memory.limit_in_bytes": "1073741824\n", mem + "memory.usage_in_bytes": "104857600\n",
		mem + "memory.stat": "total_inactive_file 4857600\n",
	}
	dockerWant := func(path string) *result.Cgroup {
		return &result.Cgroup{Version: 1, Path: path, LimitPath: path, MemoryLimitBytes: val(int64(1 << 30)),
			MemoryUsedBytes: val(int64(104857600)), MemoryFreeBytes: val(int64(1<<30 - 100000000))}
	}
	tests := []struct {
		name, cgroup, mountinfo string
		files                   map[string]string
		want                    *result.Cgroup
		err                     string
	}{
		{name: "v1 container, host paths in both", cgroup: "4:memory:/docker/abc\n", mountinfo: v1("/docker/abc"),
			files: docker, want: dockerWant("/docker/abc")},
		{name: "v1 container, a group inside of it", cgroup: "4:memory:/docker/abc/init\n", mountinfo: v1("/docker/abc"),
			files: map[string]string{
				mem + "memory.limit_in_bytes": "1073741824\n", mem + "memory.usage_in_bytes": "1073741000\n",
				mem + "init/memory.limit_in_bytes": unlimited64, mem + "init/memory.usage_in_bytes": "5\n",
			},
			want: &result.Cgroup{Version: 1, Path: "/docker/abc/init", LimitPath: "/docker/abc",
				MemoryLimitBytes: val(int64(1 << 30)), MemoryUsedBytes: val(int64(1073741000)), MemoryFreeBytes: val(int64(824))}},
		{name: "own path not visible below the mount", cgroup: "4:memory:/docker/abc\n", mountinfo: v1("/"),
			files: docker, want: dockerWant("/")},
		{name: "own path beside the mount's root", cgroup: "4:memory:/docker/abc\n", mountinfo: v1("/lxc/def"),
			files: docker, want: dockerWant("/lxc/def")},
		{name: "the end of the own path is visible", cgroup: "0::/host/slice/app\n", mountinfo: v2Mount,
			files: map[string]string{"sys/fs/cgroup/slice/app/memory.max": "4096\n", "sys/fs/cgroup/slice/memory.max": "max\n"},
			want:  &result.Cgroup{Version: 2, Path: "/slice/app", MemoryLimitBytes: val(int64(4096))}},
		{name: "process from outside of the namespace", cgroup: "0::/../other\n", mountinfo: v2Mount,
			files: map[string]string{"sys/fs/cgroup/memory.max": "4096\n"}, err: `"/../other" is outside`},
		{name: "mount from outside of the namespace", cgroup: "0::/\n",
			mountinfo: "30 23 0:29 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			files:     map[string]string{"sys/fs/cgroup/memory.max": "4096\n"}, err: `"/" is outside`},
		{name: "both from outside", cgroup: "0::/../other\n",
			mountinfo: "30 23 0:29 /.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			files:     map[string]string{"sys/fs/cgroup/other/memory.max": "4096\n"},
			want:      &result.Cgroup{Version: 2, Path: "/other", MemoryLimitBytes: val(int64(4096))}},
		{name: "two mounts, one of them shows the ancestors", cgroup: "0::/a/b\n",
			mountinfo: "30 23 0:29 /a/b /mnt/inner rw - cgroup2 cgroup2 rw\n" + v2Mount,
			files: map[string]string{
				"mnt/inner/memory.max": "8192\n", "sys/fs/cgroup/a/b/memory.max": "8192\n",
				"sys/fs/cgroup/a/memory.max": "4096\n", "sys/fs/cgroup/a/memory.current": "96\n",
			},
			want: &result.Cgroup{Version: 2, Path: "/a/b", LimitPath: "/a", MemoryLimitBytes: val(int64(4096)),
				MemoryUsedBytes: val(int64(96)), MemoryFreeBytes: val(int64(4000))}},
		{name: "colon and space in names", cgroup: "0::/a b/c:1\n",
			mountinfo: "30 23 0:29 /a\\040b /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			files:     map[string]string{"sys/fs/cgroup/c:1/memory.max": "4096\n"},
			want:      &result.Cgroup{Version: 2, Path: "/a b/c:1", MemoryLimitBytes: val(int64(4096))}},
		{name: "root of version 2", cgroup: "0::/\n", mountinfo: v2Mount,
			files: map[string]string{"sys/fs/cgroup/cgroup.procs": "1\n"}, want: &result.Cgroup{Version: 2, Path: "/"}},
		{name: "nothing mounted", cgroup: "0::/\n", mountinfo: "22 27 0:21 / /proc rw - proc proc rw\n"},
		{name: "damaged", cgroup: "nonsense\n", mountinfo: v2Mount, err: `"nonsense" is not hierarchy:controllers:/path`},
		{name: "damaged limit", cgroup: "0::/\n", mountinfo: v2Mount,
			files: map[string]string{"sys/fs/cgroup/memory.max": "lots\n"}, err: `"lots" is neither`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.cgroup, "c:1") && os.PathSeparator == '\\' {
				t.Skip("Windows has no colon in file names")
			}
			files := map[string]string{"proc/self/cgroup": tt.cgroup, "proc/self/mountinfo": tt.mountinfo}
			for name, text := range tt.files {
				files[name] = text
			}
			got, err := tree(t, files).ReadCgroup()
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			sameCgroup(t, got, tt.want)
		})
	}
}

func TestReadCgroupV1Hierarchy(t *testing.T) {
	dir := "sys/fs/cgroup/memory/"
	base := map[string]string{
		"proc/self/cgroup":                  "4:memory:/a/b\n",
		"proc/self/mountinfo":               "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
		dir + "memory.limit_in_bytes":       unlimited64,
		dir + "a/memory.limit_in_bytes":     "1000\n",
		dir + "a/memory.usage_in_bytes":     "900\n",
		dir + "a/memory.use_hierarchy":      "0\n",
		dir + "a/b/memory.limit_in_bytes":   "5000\n",
		dir + "a/b/memory.usage_in_bytes":   "700\n",
		dir + "a/b/memory.stat":             "inactive_file 200\nhierarchical_memory_limit 5000\ntotal_inactive_file 600\n",
		dir + "a/b/memory.use_hierarchy":    "0\n",
		dir + "a/b/memory.oom_control":      "oom_kill_disable 0\nunder_oom 0\n",
		dir + "a/b/memory.failcnt":          "0\n",
		dir + "a/b/memory.soft_limit_bytes": unlimited64,
	}
	// A parent that does not charge its children is no limit for them, and
	// a group without hierarchy has only its own cache.
	got, err := tree(t, base).ReadCgroup()
	if err != nil {
		t.Fatal(err)
	}
	sameCgroup(t, got, &result.Cgroup{Version: 1, Path: "/a/b", LimitPath: "/a/b", MemoryLimitBytes: val(int64(5000)),
		MemoryUsedBytes: val(int64(700)), MemoryFreeBytes: val(int64(4500))})

	base[dir+"a/memory.use_hierarchy"] = "1\n"
	if got, err = tree(t, base).ReadCgroup(); err != nil {
		t.Fatal(err)
	}
	sameCgroup(t, got, &result.Cgroup{Version: 1, Path: "/a/b", LimitPath: "/a", MemoryLimitBytes: val(int64(1000)),
		MemoryUsedBytes: val(int64(900)), MemoryFreeBytes: val(int64(100))})
}

// The limit of an ancestor that the container does not show is known from
// memory.stat; its use is not.
func TestReadCgroupHiddenAncestor(t *testing.T) {
	got, err := tree(t, map[string]string{
		"proc/self/cgroup":                           "4:memory:/pod/ctr\n",
		"proc/self/mountinfo":                        "35 31 0:32 /pod/ctr /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": unlimited64,
		"sys/fs/cgroup/memory/memory.usage_in_bytes": "3000\n",
		"sys/fs/cgroup/memory/memory.stat":           "hierarchical_memory_limit 10000\ntotal_inactive_file 1000\n",
	}).ReadCgroup()
	if err != nil {
		t.Fatal(err)
	}
	sameCgroup(t, got, &result.Cgroup{Version: 1, Path: "/pod/ctr",
		MemoryLimitBytes: val(int64(10000)), MemoryFreeBytes: val(int64(8000))})
}

func TestParseLimit(t *testing.T) {
	tests := []struct {
		in   string
		want int64 // -1 is unlimited
		ok   bool
	}{
		{"536870912\n", 512 << 20, true}, {"0\n", 0, true},
		{"8796093014016", 8796093014016, true}, {"17592186040320", 17592186040320, true}, // real ones of 8 and 16 TiB
		{"max\n", -1, true}, {"-1", -1, true},
		{"9223372036854771712", -1, true},  // 4 KiB pages
		{"9223372036854710272", -1, true},  // 64 KiB pages
		{"9223372036854775807", -1, true},  // Linux before 3.19
		{"18446744073709551615", -1, true}, // Linux before 3.16
		{"8796093018112", -1, true},        // 32-bit kernels
		{"", 0, false}, {"1 2", 0, false}, {"18446744073709551616", 0, false},
	}
	for _, tt := range tests {
		got, err := parseLimit(tt.in)
		if tt.want == -1 {
			tt.want = 1<<63 - 1
		}
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseLimit(%q) = %d, %v; want %d", tt.in, got, err, tt.want)
		}
	}
}

func TestParseQuota(t *testing.T) {
	tests := []struct {
		in   string
		want *float64
	}{
		{"50000 100000", val(0.5)}, {"max 100000", nil}, {"-1 100000", nil},
		{"1 0", nil}, {"", nil}, {"5", nil}, {"a b", nil},
	}
	for _, tt := range tests {
		same(t, tt.in, parseQuota(tt.in), tt.want)
	}
}

func TestParseMountinfo(t *testing.T) {
	text := "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n" +
		"30 23 0:29 /x\\134y /sys/fs/cgroup\\040two rw shared:1 master:2 - cgroup2 none rw\n" +
		"31 23 0:29 / /c rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"32 23 0:29 / /d rw - cgroup cgroup\n" + // cut short
		"33 23 - cgroup2 x rw\n" +
		"34 23 0:29 rel /e rw - cgroup2 x rw\n"
	want := []cgroupMount{
		{version: 2, root: `/x\y`, point: "/sys/fs/cgroup two"},
		{version: 1, controllers: []string{"rw", "cpu", "cpuacct"}, root: "/", point: "/c"},
	}
	if got := parseMountinfo([]byte(text)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func FuzzCgroup(f *testing.F) {
	f.Add([]byte("4:memory:/a/b\n0::/\n"), "/a")
	f.Add([]byte("0::/../x\n"), "/..")
	f.Add([]byte("1:name=systemd:/a:b\n"), "/")
	fs := FS{Proc: f.TempDir(), Sys: f.TempDir()}
	f.Fuzz(func(t *testing.T, b []byte, root string) {
		members, err := parseCgroup(b)
		if err != nil {
			return
		}
		for _, m := range members {
			// Whatever the paths are, the result stays below the mount point.
			p := fs.walk(m, cgroupMount{version: m.version, root: root, point: "/sys"})
			if p == nil {
				continue
			}
			for _, g := range p.groups {
				rel, err := filepath.Rel(fs.Sys, g.dir)
				if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
					t.Fatalf("own %q, root %q: %q is outside of %q", m.path, root, g.dir, fs.Sys)
				}
			}
		}
	})
}

func FuzzMountinfo(f *testing.F) {
	for _, name := range []string{"amd64-vm-v1", "container-v2", "hybrid"} {
		b, err := os.ReadFile("testdata/" + name + "/proc/self/mountinfo")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`1 1 0:1 /\777 /\08 x - cgroup2 a b`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range parseMountinfo(b) {
			if m.root[0] != '/' || m.point[0] != '/' || m.version < 1 || m.version > 2 {
				t.Errorf("%+v", m)
			}
		}
	})
}
