package result

import (
	"bytes"
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

// tickLine completes a tick. Behind it come the rows, see rowsKey.
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
// without the zeros at the end. They are most of a recording, and neither
// written nor read by way of encoding/json.
type rows struct {
	flat []int64
	ends []int // of each row in flat
}

func (r *rows) reset() { r.flat, r.ends = r.flat[:0], r.ends[:0] }

// rowsKey precedes the rows in a tick's line. It cannot be part of a string,
// where its quotation marks would have a backslash.
const rowsKey = `,"p":[`

// split takes the rows out of a tick's line and parses them.
func (r *rows) split(line []byte) (rest []byte, err error) {
	r.reset()
	at := bytes.Index(line, []byte(rowsKey))
	if at < 0 {
		return line, nil
	}
	n, ok := r.parse(line[at+len(rowsKey):])
	if !ok {
		return nil, errRows
	}
	return append(line[:at], line[at+len(rowsKey)+n:]...), nil
}

var errRows = errors.New("rows of a tick: want lists of whole numbers")

// parse reads rows up to the bracket that closes them all, and returns how many
// bytes that were.
func (r *rows) parse(b []byte) (n int, ok bool) {
	inside := false
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '[' && !inside:
			inside = true
			i++
		case c == ']' && inside:
			inside = false
			r.ends = append(r.ends, len(r.flat))
			i++
		case c == ']':
			return i + 1, true
		case c == ',' || c == ' ':
			i++
		case inside && (c == '-' || c >= '0' && c <= '9'):
			v, size := parseInt(b[i:])
			if size == 0 {
				return 0, false
			}
			r.flat = append(r.flat, v)
			i += size
		default:
			return 0, false
		}
	}
	return 0, false
}

// parseInt reads a whole number of at most 64 bits; size 0 says that there is
// none.
func parseInt(b []byte) (v int64, size int) {
	i, neg := 0, b[0] == '-'
	if neg {
		i = 1
	}
	first := i
	var u uint64
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		if u > (1<<63-1)/10 {
			return 0, 0
		}
		u = u*10 + uint64(b[i]-'0')
	}
	switch {
	case i == first, u > 1<<63, u == 1<<63 && !neg:
		return 0, 0
	case neg:
		return -int64(u), i
	}
	return int64(u), i
}

// appendRow appends a row to the text of rows.
func appendRow(b []byte, row []int64) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(b, '[')
	for k, v := range row {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return append(b, ']')
}
