package machine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wordsize/internal/vm/guest"
)

func noEnv(string) string { return "" }

func parse(t *testing.T, args ...string) Options {
	t.Helper()
	o, err := ParseOptions(args, noEnv)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return o
}

func TestDefaults(t *testing.T) {
	o := parse(t, "--", "memtest", "--kernel", "x")
	if o.Kernel.Name != "686-pae" || o.MemMiB != 6144 || o.SMP != 2 || o.CPU != "Nehalem" || o.Timeout != 10*time.Minute ||
		o.GOARCH != "386" || o.Dir != "/files" || o.Accel != "tcg" || len(o.Shares) != 0 {
		t.Errorf("%+v", o)
	}
	if !slices.Equal(o.Command, []string{"memtest", "--kernel", "x"}) {
		t.Errorf("command %q", o.Command)
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FROM_HOST", "value")
	o := parse(t, "--kernel=amd64", "--mem", "1024", "--smp", "1", "--cpu", "max", "--timeout", "90s",
		"--file", file, "--file", file+":/etc/g", "--share", dir, "--share", dir+":/mnt/d:cow",
		"--env", "A=1", "--env", "A=2=3", "--env", "FROM_HOST", "--env", "HOME=/x",
		"--append", "nosmt", "--out", filepath.Join(dir, "new", "out"), "--dir", "/tmp", "--goarch", "386", "true")
	if o.Kernel.Name != "amd64" || o.GOARCH != "386" || o.MemMiB != 1024 || o.SMP != 1 || o.Timeout != 90*time.Second ||
		o.Append != "nosmt" || o.Dir != "/tmp" {
		t.Errorf("%+v", o)
	}
	if want := []File{{file, "/files/f"}, {file, "/etc/g"}}; !slices.Equal(o.Files, want) {
		t.Errorf("files %v, want %v", o.Files, want)
	}
	want := []Share{{dir, dir, guest.ReadOnly}, {dir, "/mnt/d", guest.CopyOnWrite},
		{filepath.Join(dir, "new", "out"), "/out", guest.ReadWrite}}
	if !slices.Equal(o.Shares, want) {
		t.Errorf("shares %v, want %v", o.Shares, want)
	}
	for _, kv := range []string{"A=2=3", "FROM_HOST=value", "HOME=/x"} {
		if !slices.Contains(o.Env, kv) {
			t.Errorf("no %s in %q", kv, o.Env)
		}
	}
	if slices.Contains(o.Env, "HOME=/root") || slices.Contains(o.Env, "A=1") {
		t.Errorf("an overridden value is still there: %q", o.Env)
	}
}

// TestOptionErrors: each is one line that names what was wrong.
func TestOptionErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args string
		want string
	}{
		{"", "no command given"},
		{"--", "no command given"},
		{"--kernel i486 true", "686-pae, amd64"},
		{"--mem 12 true", "128 to 1048576"},
		{"--mem lots true", "lots"},
		{"--smp 0 true", "1 to 64"},
		{"--numa 1 true", "2 to 8"},
		{"--numa 9 true", "2 to 8"},
		{"--numa 2 true", "686-pae kernel is built without NUMA"},
		{"--kernel amd64 --mem 256 --numa 4 true", "--mem 512"},
		{"--timeout 5 true", "5"},
		{"--timeout -1s true", "positive"},
		{"--accel hvf true", "tcg, kvm or auto"},
		{"--nosuch true", "unknown option --nosuch"},
		{"--file " + dir + "/none true", "no such file"},
		{"--share " + dir + "/none true", "no such file"},
		{"--share " + file + " true", "--file"},
		{"--share " + dir + ":rel true", "absolute"},
		{"--share " + dir + "::rwx true", "ro, rw or cow"},
		{"--share :/x true", "no folder"},
		{"--env =x true", "NAME=VALUE"},
		{"--dir rel true", "absolute"},
		{"--goarch amd64 true", "runs 386 binaries"},
		{"--out " + file + "/x true", "--out"},
	}
	for _, tt := range tests {
		_, err := ParseOptions(strings.Fields(tt.args), noEnv)
		if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}
	if _, err := ParseOptions([]string{"--help"}, noEnv); !errors.Is(err, ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}

func TestEnvironmentDefaults(t *testing.T) {
	env := map[string]string{"VM_KERNEL": "amd64", "VM_MEM": "512", "VM_SMP": "4", "VM_TIMEOUT": "1m", "VM_CPU": "max"}
	o, err := ParseOptions([]string{"--smp", "3", "true"}, func(k string) string { return env[k] })
	if err != nil || o.Kernel.Name != "amd64" || o.MemMiB != 512 || o.SMP != 3 || o.Timeout != time.Minute || o.CPU != "max" {
		t.Errorf("%+v, %v", o, err)
	}
	for k, v := range map[string]string{"VM_KERNEL": "x", "VM_MEM": "6G", "VM_SMP": "0", "VM_TIMEOUT": "10", "VM_ACCEL": "x"} {
		_, err := DefaultConfig(func(n string) string {
			if n == k {
				return v
			}
			return ""
		})
		if err == nil || !IsUsage(err) {
			t.Errorf("%s=%s: %v", k, v, err)
		}
	}
}

// TestFileWithColon: a name that exists is taken as it is.
func TestFileWithColon(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a:b")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Skipf("this file system has no such names: %v", err)
	}
	for arg, want := range map[string]File{name: {name, "/files/a:b"}, name + ":/x": {name, "/x"}} {
		if f, err := ParseFile(arg); err != nil || f != want {
			t.Errorf("%s: %v, %v", arg, f, err)
		}
	}
}
