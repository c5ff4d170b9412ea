package usage

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"wordsize/internal/result"
)

// Whatever a recording holds, it is summed up without a panic, and the outcome
// can be written as JSON (no infinities).
func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/pool64.jsonl", "testdata/pool32.jsonl"} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(bytes.ReplaceAll(b, []byte(`"at_ns":1`), []byte(`"at_ns":900000000000000000`)))
		f.Add(bytes.ReplaceAll(b, []byte(`"res_bytes":`), []byte(`"res_bytes":-`)))
		f.Add(bytes.ReplaceAll(b, []byte(`"interval_ns":1`), []byte(`"interval_ns":-9`)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rr, err := result.NewRecordingReader(bytes.NewReader(b))
		if err != nil {
			t.Skip("the reader refuses it, which its own fuzz target looks at")
		}
		defer rr.Close()
		u := Read(rr, "x", Options{By: ByProgram, Course: true})
		l := Merge("x", []*Usage{u})
		if _, err := json.Marshal(l); err != nil {
			t.Fatal(err)
		}
		if c, err := Compare([]Labelled{{"a", u}, {"b", u}}, CompareOptions{}); err != nil {
			t.Fatal(err)
		} else if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}
