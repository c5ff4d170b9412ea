package result

import (
	"errors"
	"strconv"
)

// The types of a recording's lines. Lines of type process and exit belong to
// the tick line that follows them.
const (
	lineHeader  = "header"
	lineProcess = "process"
	lineExit    = "exit"
	lineTick    = "tick"
	lineEnd     = "end"
)

// processLine holds all that is known of a process: the first for an id says
// that it is new, later ones replace what was known.
type processLine struct {
	Type string `json:"type"`
	*RecordedProcess
}

type exitLine struct {
	Type string `json:"type"`
	*RecordedExit
}

// tickLine completes a tick.
type tickLine struct {
	Type   string `json:"type"`
	AtNS   int64  `json:"at_ns"`
	WallNS Bytes  `json:"time_unix_ns,omitzero"` // only where the wall clock was set, or the host suspended
	TookNS Bytes  `json:"took_ns,omitzero"`

	Seen       Bytes `json:"seen,omitzero"` // on change; -1 when no longer known
	Unreadable Bytes `json:"unreadable,omitzero"`
	Skipped    int64 `json:"skipped,omitempty"`
	SelfCPU    Bytes `json:"self_cpu_ns,omitzero"`
	SelfRSS    Bytes `json:"self_rss_bytes,omitzero"` // on change

	Host *tickHost `json:"host,omitempty"` // on change

	Rows   rows               `json:"p,omitempty"`
	States map[string][]int64 `json:"states,omitempty"` // ids by state; S is left out
	Titles []titleChange      `json:"titles,omitempty"`
	Kept   []int64            `json:"pss_kept,omitempty"` // whose PSS was not read for this tick
	Late   []int64            `json:"pss_late,omitempty"` // id, and how many ns before the tick its PSS was read, and so on
	Left   []int64            `json:"left,omitempty"`
}

type tickHost struct {
	Available Bytes     `json:"available_bytes,omitzero"`
	SwapFree  Bytes     `json:"swap_free_bytes,omitzero"`
	Load      []float64 `json:"load,omitempty"`
}

// titleChange holds what changed of the names of a process.
type titleChange struct {
	ID      int64    `json:"id"`
	Cmdline *RawText `json:"cmdline,omitempty"`
	Comm    *RawText `json:"comm,omitempty"`
	Program *RawText `json:"program,omitempty"`
}

// rows are the figures that changed: id, then the differences of the columns,
// without the zeros at the end.
type rows [][]int64

// MarshalJSON writes the rows without blanks.
func (r rows) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+32*len(r)), '[')
	for i, row := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, v := range row {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, v, 10)
		}
		b = append(b, ']')
	}
	return append(b, ']'), nil
}

var errRows = errors.New("rows of a tick: want lists of whole numbers")

// UnmarshalJSON reads what MarshalJSON wrote, and the same with blanks.
func (r *rows) UnmarshalJSON(b []byte) error {
	out := (*r)[:0]
	depth := 0
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '[':
			if depth++; depth == 2 {
				if len(out) < cap(out) { // reuse the row of a tick before
					out = out[:len(out)+1]
					out[len(out)-1] = out[len(out)-1][:0]
				} else {
					out = append(out, nil)
				}
			}
			if depth > 2 {
				return errRows
			}
			i++
		case c == ']':
			depth--
			i++
		case c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case depth == 2 && (c == '-' || c >= '0' && c <= '9'):
			j := i + 1
			for j < len(b) && b[j] >= '0' && b[j] <= '9' {
				j++
			}
			v, err := strconv.ParseInt(string(b[i:j]), 10, 64)
			if err != nil {
				return errRows
			}
			last := len(out) - 1
			out[last] = append(out[last], v)
			i = j
		default:
			return errRows
		}
	}
	*r = out
	return nil
}
