package result

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// RawText is text from outside, such as a process title: any bytes at all.
// Its JSON is lossless and plain ASCII. Valid UTF-8 stands as it is or as
// \u escapes; a byte that is not part of valid UTF-8 becomes the lone
// surrogate \udc80 to \udcff, as in Python's surrogateescape (PEP 383), so
// that os.fsencode(json.loads(s)) gives the bytes back.
type RawText string

const hexDigits = "0123456789abcdef"

// MarshalJSON escapes everything but printable ASCII.
func (t RawText) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(t)+2), '"')
	for i := 0; i < len(t); {
		c := t[i]
		if c >= 0x20 && c < 0x7f {
			if c == '"' || c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(t[i:]))
		switch {
		case r == utf8.RuneError && n == 1:
			b = appendEscape(b, 0xdc00+uint16(c))
		case r > 0xffff:
			r -= 0x10000
			b = appendEscape(b, 0xd800+uint16(r>>10))
			b = appendEscape(b, 0xdc00+uint16(r&0x3ff))
		default:
			b = appendEscape(b, uint16(r))
		}
		i += n
	}
	return append(b, '"'), nil
}

func appendEscape(b []byte, u uint16) []byte {
	return append(b, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// UnmarshalJSON restores the exact bytes.
func (t *RawText) UnmarshalJSON(in []byte) error {
	if len(in) < 2 || in[0] != '"' || in[len(in)-1] != '"' {
		return errors.New("result: text must be a JSON string")
	}
	in = in[1 : len(in)-1]
	var out []byte
	for i := 0; i < len(in); {
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		if u, ok := escapeAt(in, i); ok {
			if lo, ok := escapeAt(in, i+6); ok && u >= 0xd800 && u < 0xdc00 && lo >= 0xdc00 && lo < 0xe000 {
				out = utf8.AppendRune(out, 0x10000+rune(u-0xd800)<<10+rune(lo-0xdc00))
				i += 12
				continue
			}
			if u >= 0xdc80 && u <= 0xdcff {
				out = append(out, byte(u-0xdc00))
			} else {
				out = utf8.AppendRune(out, rune(u))
			}
			i += 6
			continue
		}
		var s string
		if i+2 > len(in) {
			return errors.New("result: cut escape in a JSON string")
		}
		if err := json.Unmarshal([]byte(`"`+string(in[i:i+2])+`"`), &s); err != nil {
			return err
		}
		out = append(out, s...)
		i += 2
	}
	*t = RawText(out)
	return nil
}

// escapeAt reads a \u escape.
func escapeAt(b []byte, i int) (uint16, bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	var u uint16
	for _, c := range b[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | uint16(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			u = u<<4 | uint16(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}
