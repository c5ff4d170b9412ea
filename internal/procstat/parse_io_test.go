package procstat

import (
	"errors"
	"testing"
)

func TestParseIO(t *testing.T) {
	const text = "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\nread_bytes: 4096\nwrite_bytes: 323932160\ncancelled_write_bytes: 0\n"
	var io IO
	if err := parseIO([]byte(text), &io); err != nil || io != (IO{323934931, 323929600, 4096, 323932160}) {
		t.Errorf("%+v, %v", io, err)
	}
	for _, bad := range []string{"", "rchar: 1\n", "rchar: x\nwchar: 1\nread_bytes: 1\nwrite_bytes: 1\n", "rchar: -1\nwchar: 1\nread_bytes: 1\nwrite_bytes: 1\n"} {
		if err := parseIO([]byte(bad), &io); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := parseIO([]byte("rchar: 18446744073709551615\nwchar: 1\nread_bytes: 1\nwrite_bytes: 1\n"), &io); err != nil || io.ReadChars != 1<<63-1 {
		t.Errorf("%+v, %v", io, err)
	}
}

func FuzzParseIO(f *testing.F) {
	f.Add([]byte("rchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var io IO
		if parseIO(b, &io) == nil && (io.ReadChars < 0 || io.WriteChars < 0 || io.ReadBytes < 0 || io.WriteBytes < 0) {
			t.Errorf("%+v", io)
		}
	})
}
