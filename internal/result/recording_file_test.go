package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file whose writer was killed holds all ticks but those of the last two
// seconds.
func TestRecordingKilled(t *testing.T) {
	for _, name := range []string{"r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := CreateRecording(path, false)
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewRecordingWriter(f, testHeader())
		if err != nil {
			t.Fatal(err)
		}
		p := newPool(4, 10)
		var last int64
		for range 100 {
			tick := p.step()
			tick.AtNS = (tick.Number - 1) * int64(50*time.Millisecond)
			tick.TimeUnixNS = started.UnixNano() + tick.AtNS
			for _, q := range tick.Processes { // times are of a pool that ticks once a second
				q.PSSAtNS = Bytes{}
			}
			if err := w.Tick(tick); err != nil {
				t.Fatal(err)
			}
			last = tick.AtNS
		}
		// No Close: this is what a killed recorder leaves.
		rr, err := OpenRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := rr.Next(); err != nil {
				break
			}
		}
		cut := rr.Cut()
		if cut == nil || last-cut.AtNS > RecordingFlushNS || name == "r.jsonl" && cut.AtNS != last {
			t.Errorf("%s: %+v of %d ns", name, cut, last)
		}
		t.Log(name, cut)
		rr.Close()
		f.Close()
	}
}

// An old file is replaced only when that was asked for.
func TestCreateRecording(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateRecording(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: %v", err)
	}
	if _, err := CreateRecording(dir, true); !errors.Is(err, ErrFolder) {
		t.Errorf("folder: %v", err)
	}
	if _, err := CreateRecording(filepath.Join(dir, "no", "r.jsonl"), false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(filepath.Join(dir, "target.jsonl"), link); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, p := range []string{path, link} {
		f, err := CreateRecording(p, p == path)
		if err != nil {
			t.Fatal(p, err)
		}
		write(t, f, newPool(5, 1), 1)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 || st.Size() < 10 {
		t.Errorf("%v %v", st, err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", st, err)
	}
}
