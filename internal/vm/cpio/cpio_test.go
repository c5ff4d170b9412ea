package cpio

import (
	"bytes"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// entry is one member as the reader below sees it.
type entry struct {
	name         string
	mode         uint64
	body         string
	major, minor uint64
}

// read parses a newc archive by the format's description.
func read(t *testing.T, b []byte) []entry {
	t.Helper()
	var all []entry
	for off := 0; ; {
		if off%4 != 0 || len(b) < off+110 || string(b[off:off+6]) != "070701" {
			t.Fatalf("no header at %d of %d", off, len(b))
		}
		var f [13]uint64
		for i := range f {
			v, err := strconv.ParseUint(string(b[off+6+8*i:off+14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			f[i] = v
		}
		size, nameSize := int(f[6]), int(f[11])
		name := string(b[off+110 : off+110+nameSize-1])
		if b[off+110+nameSize-1] != 0 {
			t.Fatalf("name %q does not end with NUL", name)
		}
		start := (off + 110 + nameSize + 3) &^ 3
		if name == "TRAILER!!!" {
			if start != len(b) {
				t.Fatalf("%d bytes after the trailer", len(b)-start)
			}
			return all
		}
		all = append(all, entry{name, f[1], string(b[start : start+size]), f[9], f[10]})
		off = (start + size + 3) &^ 3
	}
}

func sample(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for _, err := range []error{
		w.Dir("/tmp", 0o1777),
		w.Bytes("/a/b/c.txt", 0o644, []byte("hello")),
		w.Bytes("a/b/empty", 0o600, nil),
		w.Symlink("/bin/sh", "busybox"),
		w.CharDevice("/dev/console", 0o600, 5, 1),
		w.Dir("/a", 0o700),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func TestEntries(t *testing.T) {
	want := []entry{
		{"tmp", 0o041777, "", 0, 0},
		{"a", 0o040755, "", 0, 0},
		{"a/b", 0o040755, "", 0, 0},
		{"a/b/c.txt", 0o100644, "hello", 0, 0},
		{"a/b/empty", 0o100600, "", 0, 0},
		{"bin", 0o040755, "", 0, 0},
		{"bin/sh", 0o120777, "busybox", 0, 0},
		{"dev", 0o040755, "", 0, 0},
		{"dev/console", 0o020600, "", 5, 1},
	}
	got := read(t, sample(t))
	if len(got) != len(want) {
		t.Fatalf("got %d entries, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("entry %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestCpioReads asks the system's cpio what it sees.
func TestCpioReads(t *testing.T) {
	if _, err := exec.LookPath("cpio"); err != nil {
		t.Skip("no cpio on this machine: the format is also checked by TestEntries")
	}
	cmd := exec.Command("cpio", "-t", "--quiet")
	cmd.Stdin = bytes.NewReader(sample(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("cpio: %v: %s", err, out)
	}
	if got := strings.Join(strings.Fields(string(out)), " "); got != "tmp a a/b a/b/c.txt a/b/empty bin bin/sh dev dev/console" {
		t.Errorf("cpio lists %q", got)
	}
}

func TestShortFile(t *testing.T) {
	w := NewWriter(&bytes.Buffer{})
	err := w.File("x", 0o644, 10, strings.NewReader("four"))
	if !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "4 of 10") {
		t.Errorf("got %v", err)
	}
	if err := w.Close(); !errors.Is(err, ErrSize) {
		t.Errorf("the first error does not stick: %v", err)
	}
}

func TestTooLarge(t *testing.T) {
	w := NewWriter(&bytes.Buffer{})
	if err := w.File("x", 0o644, 1<<32, nil); err == nil || !strings.Contains(err.Error(), "4 GiB") {
		t.Errorf("got %v", err)
	}
}

// FuzzName checks that whatever is written can be read back.
func FuzzName(f *testing.F) {
	f.Add("/a/b", []byte("x"))
	f.Add("../..", []byte{})
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		var buf bytes.Buffer
		w := NewWriter(&buf)
		_ = w.Bytes(name, 0o644, body)
		if w.Close() != nil {
			return // a name that the writer refuses
		}
		if clean(name) == "TRAILER!!!" {
			return // the name of the trailer itself
		}
		all := read(t, buf.Bytes())
		if last := all[len(all)-1]; last.body != string(body) || last.name != clean(name) {
			t.Errorf("%q came back as %+v", name, last)
		}
	})
}
