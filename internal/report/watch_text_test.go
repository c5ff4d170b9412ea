package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

func TestWatchText(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		limit, width   int
	}{
		{"plain", "nginx: worker", "nginx: worker", 0, 13},
		{"NUL, newline, tab", "a\x00b\nc\td", `a\x00b\nc\td`, 0, 12},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`, 0, 18},
		{"OSC 52, bell", "\x1b]52;c;eA==\x07", `\x1b]52;c;eA==\x07`, 0, 18},
		{"DEL", "a\x7f", `a\x7f`, 0, 5},
		{"C1 as UTF-8", "a\u009b31m", `a\u009b31m`, 0, 10},
		{"C1 as a byte", "a\x9b31m", `a\x9b31m`, 0, 8},
		{"bidi override", "gpj\u202eexe", `gpj\u202eexe`, 0, 12},
		{"bidi isolate", "\u2066a\u2069", `\u2066a\u2069`, 0, 13},
		{"zero width", "a\u200bb\ufeffc", `a\u200bb\ufeffc`, 0, 15},
		{"combining", "e\u0301", `e\u0301`, 0, 7},
		{"bad UTF-8", "a\xff\xfeb\xc3", `a\xff\xfeb\xc3`, 0, 14},
		{"surrogate bytes", "\xed\xa0\x80", `\xed\xa0\x80`, 0, 12},
		{"wide", "日本", "日本", 0, 4},
		{"latin", "café", "café", 0, 4},
		{"emoji with joiner", "👩\u200d💻", `👩\u200d💻`, 0, 10},
		{"flag", "🇵🇱", `\U0001f1f5\U0001f1f1`, 0, 20},
		{"line separator", "a\u2028b", `a\u2028b`, 0, 8},
		{"tag characters", "a\U000e0041", `a\U000e0041`, 0, 11},
		{"fits exactly", "abcdef", "abcdef", 6, 6},
		{"cut", "abcdefg", "abcde+", 6, 6},
		{"cut before a wide one", "ab日本語", "ab日+", 6, 5},
		{"an escape is cut whole", "ab\x1bcdefgh", "ab+", 5, 3},
		{"cut to one", "abc", "+", 1, 1},
		{"wide in one column", "日本", "+", 1, 1},
		{"empty", "", "", 5, 0},
	} {
		got, width := WatchText{}.Append([]byte("x"), tc.in, tc.limit)
		if string(got) != "x"+tc.want || width != tc.width {
			t.Errorf("%s: got %q width %d, want %q width %d", tc.name, got, width, "x"+tc.want, tc.width)
		}
	}
	got, width := WatchText{ASCII: true}.Append(nil, "café 日", 0)
	if string(got) != `caf\u00e9 \u65e5` || width != len(got) {
		t.Errorf("%q %d", got, width)
	}
}

// Every character that passes has the width that terminals and the screen
// library give it, alone and beside others: nothing joins or combines.
func TestWatchTextWidths(t *testing.T) {
	passed := 0
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		w := safeWidth(r)
		if w == 0 || !utf8.ValidRune(r) {
			continue
		}
		passed++
		if got := displaywidth.String("a" + string(r) + string(r) + "b"); got != 2+2*w {
			t.Errorf("%U: width %d, the library says %d for two between letters", r, w, got)
		}
	}
	if passed < 100000 {
		t.Errorf("only %d characters pass", passed)
	}
}

func FuzzWatchText(f *testing.F) {
	f.Add("\x1b]0;x\x07日本\xff", 5)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit %= 200
		out, width := WatchText{}.Append(nil, s, limit)
		if limit > 0 && width > limit {
			t.Errorf("%q: width %d beyond %d", out, width, limit)
		}
		if !utf8.Valid(out) || displaywidth.String(string(out)) != width {
			t.Errorf("%q: width %d, in truth %d", out, width, displaywidth.String(string(out)))
		}
		if strings.ContainsFunc(string(out), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is not printable", out)
		}
	})
}
