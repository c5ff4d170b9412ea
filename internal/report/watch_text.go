package report

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// WatchText makes text from outside safe for a terminal.
type WatchText struct {
	// ASCII writes every character beyond ASCII as an escape, for terminals
	// whose locale is not UTF-8.
	ASCII bool
}

// Append appends s to dst so that it is one line, printable and of known
// width, and returns the width in columns. Control characters (C0, C1, so
// escape sequences too), bidirectional and other formatting characters, marks
// that combine or have no width, and invalid UTF-8 become visible escapes such
// as \x1b or \u202e. When s is wider than limit columns it is cut and ends in
// "+"; a limit of 0 or less means none.
func (t WatchText) Append(dst []byte, s string, limit int) ([]byte, int) {
	width, start := 0, len(dst)
	cutAt, cutWidth := start, 0 // the last place that leaves a column for "+"
	for i := 0; i < len(s); {
		mark, before := len(dst), width
		if c := s[i]; c >= 0x20 && c < 0x7f {
			dst = append(dst, c)
			width++
			i++
		} else {
			var n, w int
			dst, n, w = t.appendRune(dst, s[i:])
			width += w
			i += n
		}
		if limit <= 0 {
			continue
		}
		if before <= limit-1 {
			cutAt, cutWidth = mark, before
		}
		if width > limit {
			return append(dst[:cutAt], '+'), cutWidth + 1
		}
	}
	return dst, width
}

// appendRune appends the first character of s, or its escape.
func (t WatchText) appendRune(dst []byte, s string) (out []byte, size, width int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n <= 1 {
		return append(dst, '\\', 'x', hexDigit(s[0]>>4), hexDigit(s[0])), 1, 4
	}
	if w := safeWidth(r); w > 0 && !t.ASCII {
		return append(dst, s[:n]...), n, w
	}
	before := len(dst)
	switch {
	case r == '\n':
		dst = append(dst, `\n`...)
	case r == '\t':
		dst = append(dst, `\t`...)
	case r < 0x80:
		dst = append(dst, '\\', 'x', hexDigit(byte(r)>>4), hexDigit(byte(r)))
	case r <= 0xffff:
		dst = append(dst, '\\', 'u')
		dst = appendHex(dst, uint32(r), 4)
	default:
		dst = append(dst, '\\', 'U')
		dst = appendHex(dst, uint32(r), 8)
	}
	return dst, n, len(dst) - before
}

func appendHex(dst []byte, v uint32, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hexDigit(byte(v>>(4*i))))
	}
	return dst
}

func hexDigit(b byte) byte { return "0123456789abcdef"[b&15] }

// safeWidth returns how many columns a character takes, 1 or 2, and 0 for one
// that must not reach the terminal because it has no width, changes others or
// joins with its neighbours.
func safeWidth(r rune) int {
	if !unicode.IsPrint(r) || unicode.In(r, unicode.M, unicode.Cf, joining) {
		return 0
	}
	w := displaywidth.Rune(r)
	if w < 1 || w > 2 {
		return 0
	}
	return w
}

// joining holds printable characters that join with a neighbour into one
// (Unicode Standard Annex 29), so that their width depends on it.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0d4e, 0x0d4e, 1},
		{0x0e33, 0x0e33, 1}, {0x0eb3, 0x0eb3, 1}, // Thai and Lao vowels
		{0x1100, 0x11ff, 1}, {0xa960, 0xa97f, 1}, {0xd7b0, 0xd7ff, 1}, // Hangul jamo
		{0xff9e, 0xff9f, 1},
	},
	R32: []unicode.Range32{
		{0x111c2, 0x111c3, 1}, {0x1193f, 0x1193f, 1}, {0x11941, 0x11941, 1}, {0x11a84, 0x11a89, 1},
		{0x11d46, 0x11d46, 1}, {0x11f02, 0x11f02, 1},
		{0x1f1e6, 0x1f1ff, 1}, // regional indicators, which form flags
		{0x1f3fb, 0x1f3ff, 1}, // skin tones
	},
}
