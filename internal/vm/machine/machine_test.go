package machine

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wordsize/internal/vm/cpio"
	"wordsize/internal/vm/guest"
)

// binary32 is the start of a 32-bit ELF file for a machine, with a PT_INTERP
// segment if it is dynamic.
func binary32(machine uint16, dynamic bool) []byte {
	b := []byte("\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 9))
	le := binary.LittleEndian
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, machine)
	for _, v := range []uint32{1, 0, 52, 0, 0} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint16{52, 32, 1, 40, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	typ := uint32(1) // PT_LOAD
	if dynamic {
		typ = 3 // PT_INTERP
	}
	for _, v := range []uint32{typ, 0, 0, 0, 0, 0, 4, 4} {
		b = le.AppendUint32(b, v)
	}
	return b
}

func write(t *testing.T, name string, b []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestResolveCommand(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "cmd", "memtest", "main.go"), nil)
	static := write(t, filepath.Join(root, "bin", "static"), binary32(3, false))
	script := write(t, filepath.Join(root, "bin", "script"), []byte("#!/bin/sh\n"))
	o := &Options{Applets: []string{"sh"}}
	o.Kernel = Kernels[0]
	o.Files = []File{{"x", "/files/x"}, {"d", "/etc/d"}}
	o.Shares = []Share{{root, "/mnt/s", guest.ReadOnly}}
	tests := []struct {
		name string
		want Program
	}{
		{"memtest", Program{Path: "/usr/local/bin/memtest", Build: "memtest"}},
		{"ls", Program{Path: "ls"}},
		{"/bin/sh", Program{Path: "/bin/sh"}},
		{"guest:/bin/x", Program{Path: "/bin/x"}},
		{"/files/x", Program{Path: "/files/x"}},
		{"/etc/d/e", Program{Path: "/etc/d/e"}},
		{"/mnt/s/prog", Program{Path: "/mnt/s/prog"}},
		{"/no/such/file", Program{Path: "/no/such/file"}},
		{static, Program{Path: "/usr/local/bin/static", Host: static}},
		{script, Program{Path: "/usr/local/bin/script", Host: script}},
	}
	for _, tt := range tests {
		if got, err := ResolveCommand(tt.name, root, o); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestResolveCommandRefuses(t *testing.T) {
	dir := t.TempDir()
	o := &Options{}
	o.Kernel = Kernels[0]
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"amd64":   {binary32(62, false), "built for amd64"},
		"sparc":   {binary32(2, false), "EM_SPARC"},
		"dynamic": {binary32(3, true), "CGO_ENABLED=0"},
		"text":    {[]byte("some text"), "neither an ELF binary"},
		"empty":   {nil, "cannot be read"},
	} {
		_, err := ResolveCommand(write(t, filepath.Join(dir, name), tt.content), dir, o)
		if !IsUsage(err) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := ResolveCommand("./nosuch", dir, o); !IsUsage(err) {
		t.Errorf("a relative path that is not there: %v", err)
	}
	if _, err := ResolveCommand(dir, dir, o); !IsUsage(err) {
		t.Errorf("a folder: %v", err)
	}
	o.Kernel = Kernels[1]
	if _, err := ResolveCommand(filepath.Join(dir, "amd64"), dir, o); err != nil {
		t.Errorf("an amd64 binary on the amd64 kernel: %v", err)
	}
}

func TestQemuArgs(t *testing.T) {
	c := &Config{Kernel: Kernels[0], MemMiB: 6144, SMP: 2, CPU: "max", Append: "nosmt",
		Shares: []Share{{"/a,b", "/x", guest.ReadWrite}, {"/c", "/y", guest.CopyOnWrite}}}
	got := strings.Join(qemuArgs(c, plumbing{kernel: "K", initrd: "I", consoleFD: 4, channelFD: 5}), " ")
	for _, want := range []string{"-accel tcg", "-cpu max", "-m 6144", "-smp 2", "-kernel K -initrd I", "socket,id=console,fd=4",
		"socket,id=channel,fd=5", "name=" + guest.PortName, "path=/a,,b,", "readonly=off", "path=/c,", "readonly=on",
		"mount_tag=share1", " nosmt", "panic=-1", "-no-reboot"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if got := strings.Join(qemuArgs(c, plumbing{kvm: true}), " "); !strings.Contains(got, "-accel kvm") {
		t.Error(got)
	}
}

func TestExplain(t *testing.T) {
	panicLine := "[    1.0] Kernel panic - not syncing: VFS: no root\n"
	tests := []struct {
		console, says string
		hello         bool
		want          string
	}{
		{"x\n" + guest.FailMark + "mount /proc: EPERM\n" + panicLine, "", false, "init could not go on: mount /proc: EPERM"},
		{panicLine, "qemu: noise", true, "kernel gave up: Kernel panic - not syncing: VFS: no root"},
		{"", "a\nqemu-system-x86_64: no memory\n", false, "qemu ended (exit status 1): no memory"},
		{"hello\n", "", false, "before its init was up"},
		{"hello\n", "", true, "before its command did"},
	}
	for _, tt := range tests {
		if got := explain(tt.console, tt.says, "exit status 1", tt.hello); !strings.Contains(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestTail(t *testing.T) {
	tl := tail{max: 100}
	var all bytes.Buffer
	for i := range 500 {
		b := []byte{byte('a' + i%26), '\r', '\n'}
		all.Write(b)
		if n, err := tl.Write(b); n != 3 || err != nil {
			t.Fatal(n, err)
		}
	}
	want := strings.ReplaceAll(string(all.Bytes()[all.Len()-100:]), "\r", "")
	if got := tl.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := lastLines("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("last lines %q", got)
	}
}

func TestApplets(t *testing.T) {
	bin := "code\x00ls\x00[\x00text\x00[\x00[[\x00ash\x00busybox\x00ls\x00sh\x00xz\x00zcat\x00\x00more\x00"
	if got, want := appletsIn([]byte(bin)), []string{"[", "[[", "ash", "ls", "sh", "zcat"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := appletsIn([]byte("no table\x00[\x00")); got != nil {
		t.Errorf("got %q", got)
	}
	if got := appletsIn([]byte("x\x00[\x00[[\x00cut")); !slices.Equal(got, []string{"[", "[["}) {
		t.Errorf("a table that is cut off: %q", got)
	}
}

// TestAddTree packs a folder with a link, an empty folder and a file.
func TestAddTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, filepath.Join(dir, "sub", "file"), []byte("content"))
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub/file", filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	var buf bytes.Buffer
	w := cpio.NewWriter(&buf)
	if err := addTree(w, File{dir, "/files/tree"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"files/tree/sub/file\x00", "content", "files/tree/empty\x00", "files/tree/link\x00", "sub/file"} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no %q in the archive", want)
		}
	}
	if err := addTree(cpio.NewWriter(&buf), File{dir + "/none", "/x"}); err == nil {
		t.Error("a missing file was packed")
	}
}
