package membench

import (
	"bytes"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestMessagesSurviveARunnersNoise(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("Performance counter stats for ...\n\n")
	if err := writeMessage(&b, message{Kind: msgDone, Passes: 7}); err != nil {
		t.Fatal(err)
	}
	b.WriteString("{\"kind\":\"done\"}\nno newline at the end follows ")
	if err := writeMessage(&b, message{Kind: msgResult, Worker: &result.Worker{PassEndNS: make([]int64, 20000)}}); err != nil {
		t.Fatal(err)
	}
	if err := writeMessage(&b, message{Kind: msgReady}); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	if err := readMessages(&b, func(m message) { kinds = append(kinds, m.Kind) }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(kinds, " "); got != "done result ready" {
		t.Errorf("messages %q: want all, the one behind an unfinished line too", got)
	}
}

func FuzzReadMessages(f *testing.F) {
	f.Add(linePrefix + `{"kind":"hello","protocol":1}` + "\n")
	f.Add(linePrefix + "{")
	f.Add(linePrefix + `{"worker":{"pass_end_ns":[1,2]}}`)
	f.Fuzz(func(t *testing.T, s string) {
		lines := strings.Count(s, "\n") + 1
		n := 0
		readMessages(strings.NewReader(s), func(message) { n++ })
		if n > lines {
			t.Errorf("%d messages in %d lines", n, lines)
		}
	})
}
