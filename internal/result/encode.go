package result

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes a record with indentation, its arrays of numbers on one
// line each: a person may look at it, and it may be diffed.
func WriteJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	_, err = w.Write(append(joinNumberArrays(b), '\n'))
	return err
}

// WriteRuns writes one run as an object, or any number of them as an array of
// such objects: ParseRuns reads both.
func WriteRuns(w io.Writer, runs []*Run, array bool) error {
	if !array && len(runs) == 1 {
		return WriteJSON(w, runs[0])
	}
	return WriteJSON(w, runs)
}

// joinNumberArrays puts arrays that hold numbers alone on a single line.
// Strings are passed over, so that their content is never touched.
func joinNumberArrays(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			j := stringEnd(b, i)
			out = append(out, b[i:j]...)
			i = j
		case '[':
			j := i + 1
			for j < len(b) && numeric(b[j]) {
				j++
			}
			if j == len(b) || b[j] != ']' {
				out = append(out, b[i])
				i++
				continue
			}
			for _, c := range b[i : j+1] {
				switch c {
				case ' ', '\n':
				case ',':
					out = append(out, ", "...)
				default:
					out = append(out, c)
				}
			}
			i = j + 1
		default:
			out = append(out, b[i])
			i++
		}
	}
	return out
}

// stringEnd returns the index behind the string literal that starts at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

func numeric(c byte) bool {
	switch c {
	case ' ', '\n', ',', '-', '+', '.', 'e', 'E':
		return true
	}
	return c >= '0' && c <= '9'
}
