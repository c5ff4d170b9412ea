package hostinfo

import (
	"os"
	"path/filepath"
	"testing"
)

// captured is a tree below testdata.
func captured(name string) FS {
	dir := filepath.Join("testdata", name)
	return FS{Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys"), Etc: filepath.Join(dir, "etc")}
}

// tree writes files, named from the root ("proc/self/cgroup"), into a new
// directory and returns the file system with it.
func tree(t *testing.T, files map[string]string) FS {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return FS{Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys"), Etc: filepath.Join(dir, "etc")}
}

// val makes a pointer of a wanted value.
func val[T any](v T) *T { return &v }

// same compares optional values.
func same[T comparable](t *testing.T, what string, got, want *T) {
	t.Helper()
	switch {
	case got == nil && want == nil:
	case got == nil:
		t.Errorf("%s is absent, want %v", what, *want)
	case want == nil:
		t.Errorf("%s = %v, want it absent", what, *got)
	case *got != *want:
		t.Errorf("%s = %v, want %v", what, *got, *want)
	}
}
