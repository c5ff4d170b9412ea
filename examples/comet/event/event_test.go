package event

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for _, m := range []Message{{"a", "b"}, {"", "two\nlines \"quoted\" <b>"}, {"ä", strings.Repeat("x", 4000)}} {
		line, err := Encode(m)
		if err != nil || len(line) > MaxBytes || bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("%+v: %q, %v", m, line, err)
		}
		if got, err := Decode(line[:len(line)-1]); err != nil || got != m {
			t.Errorf("%+v -> %+v, %v", m, got, err)
		}
	}
	if _, err := Encode(Message{Text: strings.Repeat("x", MaxBytes)}); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	for _, bad := range []string{"", "{}", "[]", `{"text":1}`, `{"text":"a"`} {
		if m, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q -> %+v", bad, m)
		}
	}
}
