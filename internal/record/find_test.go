package record

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are executable by their names there")
	}
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := file("run", 0o755)
	file("plain", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, tc := range []struct {
		name, path, want string
		status           int
	}{
		{"run", "/nonexistent:" + dir, run, 0},
		{"run", "", "", StatusNotFound},
		{"./run", "", "./run", 0},
		{run, "", run, 0},
		{"run", ":/nonexistent", "./run", 0}, // an empty entry is the current folder
		{"plain", dir, "", StatusNotExecutable},
		{"./plain", "", "", StatusNotExecutable},
		{"folder", dir, "", StatusNotExecutable},
		{"./none", "", "", StatusNotFound},
		{"./run/none", "", "", StatusNotExecutable}, // ENOTDIR
		{"", dir, "", StatusNotFound},
	} {
		got, err := Find(tc.name, tc.path)
		var start *StartError
		switch {
		case tc.status == 0 && (err != nil || got != tc.want):
			t.Errorf("%q in %q: %q, %v", tc.name, tc.path, got, err)
		case tc.status != 0 && (!errors.As(err, &start) || start.Status != tc.status):
			t.Errorf("%q in %q: %v, want status %d", tc.name, tc.path, err, tc.status)
		}
	}
}

// Ticks keep their schedule, and those whose time is over are left out and
// counted.
func TestNextTick(t *testing.T) {
	now := time.Now()
	next, skipped := nextTick(now, time.Minute)
	if skipped != 0 || !next.Equal(now.Add(time.Minute)) {
		t.Errorf("in time: %v, %d", next.Sub(now), skipped)
	}
	next, skipped = nextTick(now.Add(-10*time.Minute-time.Second), time.Minute)
	if skipped != 10 || time.Until(next) <= 0 || time.Until(next) > time.Minute {
		t.Errorf("late: in %v, %d left out", time.Until(next), skipped)
	}
}
