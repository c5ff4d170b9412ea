//go:build unix

package result

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in a folder is passed over: reading it could wait for ever.
func TestLoadPassesOverPipes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), encode(t, sampleRun(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "b.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, errs := Load([]string{dir}, nil); len(all) != 1 || len(errs) > 0 {
		t.Errorf("%d runs, %v", len(all), errs)
	}
}
