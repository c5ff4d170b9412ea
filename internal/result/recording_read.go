package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// What can be wrong with a recording as a whole. Test with errors.Is.
var (
	ErrNoRecording     = errors.New("is no recording of rsswatch record")
	ErrRecordingSchema = errors.New("is a recording of another schema")
)

// RecordingReader reads a recording tick by tick. What it keeps is bounded by
// the number of processes of a tick.
type RecordingReader struct {
	in      *bufio.Reader
	closers []io.Closer
	header  RecordingHeader
	tick    RecordedTick
	figures []figure
	rows    rows
	procs   map[int64]*RecordedProcess
	stated  map[int64]bool // stated since the last tick, with the time of their PSS
	line    []byte
	lines   int64 // complete lines so far
	pending int64 // bytes after the last complete tick
	end     *RecordingEnd
	cut     *RecordingCut
	done    bool
}

// RecordingCut says that a recording has no proper end and what is missing. It
// is no failure: all that Next returned is as it was recorded.
type RecordingCut struct {
	Ticks     int64 // complete ticks, all of which were returned
	AtNS      int64 // of the last of them
	Line      int64 // number of the first line that was not used
	LostBytes int64 // behind the last complete tick (before compression), as far as they could be read
	LostTicks int64 // that can be counted in there
	Err       error // what was found instead of the next line; io.EOF where just nothing follows
}

// Error says it in one line.
func (c *RecordingCut) Error() string {
	s := fmt.Sprintf("is cut off after %d ticks (%.1f s)", c.Ticks, float64(c.AtNS)/1e9)
	switch {
	case c.LostTicks > 0:
		s += fmt.Sprintf(": line %d is damaged, and %d ticks behind it are lost", c.Line, c.LostTicks)
	case c.LostBytes > 0:
		s += fmt.Sprintf(": the tick being written then is lost (%d bytes)", c.LostBytes)
	default:
		s += ": the recorder was killed, or is still recording"
	}
	return s
}

// Unwrap returns what was found.
func (c *RecordingCut) Unwrap() error { return c.Err }

// maxLine bounds a line: titles are cut at 256 KiB each.
const maxLine = 256 << 20

// NewRecordingReader reads the header of a recording that may be compressed.
// The error is ErrEmpty, ErrNoRecording or ErrRecordingSchema.
func NewRecordingReader(r io.Reader) (*RecordingReader, error) {
	rr := &RecordingReader{procs: map[int64]*RecordedProcess{}, stated: map[int64]bool{}}
	in, closer, err := decompress(r)
	if err != nil {
		return nil, err
	}
	if closer != nil {
		rr.closers = append(rr.closers, closer)
	}
	rr.in = bufio.NewReaderSize(in, 64<<10)
	if err := rr.readHeader(); err != nil {
		rr.Close()
		return nil, err
	}
	return rr, nil
}

// Close releases the decompressor and, after OpenRecording, the file.
func (rr *RecordingReader) Close() error {
	var errs []error
	for _, c := range rr.closers {
		errs = append(errs, c.Close())
	}
	rr.closers = nil
	return errors.Join(errs...)
}

// Header returns the first line.
func (rr *RecordingReader) Header() *RecordingHeader { return &rr.header }

// End returns the last line, nil before Next returned io.EOF and when the
// recording is cut off.
func (rr *RecordingReader) End() *RecordingEnd { return rr.end }

// Cut returns what is missing of a recording that has no end, nil when it is
// whole or Next has not returned io.EOF yet.
func (rr *RecordingReader) Cut() *RecordingCut { return rr.cut }

func (rr *RecordingReader) readHeader() error {
	line, err := rr.readLine()
	if err != nil && len(bytes.TrimSpace(line)) == 0 {
		if errors.Is(err, io.EOF) {
			return ErrEmpty
		}
		return fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	var head struct{ Schema, Type string }
	if jerr := json.Unmarshal(line, &head); jerr != nil {
		if err != nil { // not even the first line is complete
			return fmt.Errorf("%w: it ends within its first line, after %d bytes", ErrTruncated, len(line))
		}
		return fmt.Errorf("%w: its first line is not JSON of one", ErrNoRecording)
	}
	switch {
	case head.Schema == RecordingSchema:
	case head.Schema == "":
		return fmt.Errorf("%w: its first line has no \"schema\"", ErrNoRecording)
	case !isRecordingSchema(head.Schema):
		return fmt.Errorf("%w: its schema is %q", ErrNoRecording, head.Schema)
	default:
		return fmt.Errorf("%w: %q, this rsswatch reads %q", ErrRecordingSchema, head.Schema, RecordingSchema)
	}
	if err := json.Unmarshal(line, &rr.header); err != nil {
		return fmt.Errorf("%w: header: %w", ErrNoRecording, err)
	}
	for _, c := range rr.header.Columns {
		if c.Unit < 1 {
			return fmt.Errorf("%w: header: column %q has the unit %d", ErrNoRecording, c.Name, c.Unit)
		}
	}
	rr.figures = figures(rr.header.Columns)
	rr.lines = 1
	return nil
}

func isRecordingSchema(s string) bool {
	const family = "rsswatch-recording/"
	return len(s) > len(family) && s[:len(family)] == family
}

// readLine returns the next line without its newline, valid until the next
// call. A last line without newline comes with io.ErrUnexpectedEOF.
func (rr *RecordingReader) readLine() ([]byte, error) {
	rr.line = rr.line[:0]
	for {
		part, err := rr.in.ReadSlice('\n')
		rr.line = append(rr.line, part...)
		switch {
		case err == nil:
			return rr.line[:len(rr.line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull) && len(rr.line) < maxLine:
		case errors.Is(err, io.EOF) && len(rr.line) > 0:
			return rr.line, io.ErrUnexpectedEOF
		default:
			return rr.line, err
		}
	}
}

// Next returns the next tick, which is valid until the next call, and io.EOF
// behind the last one; then End or Cut says how the recording ends. There is
// no other error: damage ends the recording where it is.
func (rr *RecordingReader) Next() (*RecordedTick, error) {
	if rr.done {
		return nil, io.EOF
	}
	rr.tick.Exits, rr.tick.Left = nil, nil
	for {
		line, err := rr.readLine()
		size := int64(len(line))
		if err == nil {
			size++
			var complete bool
			if complete, err = rr.use(line); err == nil {
				rr.lines++
				rr.pending += size
				if complete {
					rr.pending = 0
					return &rr.tick, nil
				}
				if rr.end != nil {
					rr.done = true
					return nil, io.EOF
				}
				continue
			}
		}
		rr.done = true
		rr.pending += size
		rr.findLoss(err)
		return nil, io.EOF
	}
}

// findLoss counts what is behind the damage.
func (rr *RecordingReader) findLoss(why error) {
	c := &RecordingCut{Ticks: rr.tick.Number, AtNS: rr.tick.AtNS, Line: rr.lines + 1, LostBytes: rr.pending, Err: why}
	rr.cut = c
	marker := []byte(`"type":"` + lineTick + `"`)
	for {
		line, err := rr.readLine()
		c.LostBytes += int64(len(line))
		if err != nil {
			return
		}
		c.LostBytes++
		if bytes.Contains(line[:min(len(line), 64)], marker) {
			c.LostTicks++
		}
	}
}

var errOrder = errors.New("unexpected line")

// use applies one line; complete says that it was a tick.
func (rr *RecordingReader) use(line []byte) (complete bool, err error) {
	switch lineType(line) {
	case lineProcess:
		p := new(RecordedProcess)
		if err := json.Unmarshal(line, p); err != nil {
			return false, err
		}
		rr.stated[p.ID] = true
		if old := rr.procs[p.ID]; old != nil {
			*old = *p // the same pointer as on the ticks before
		} else {
			rr.procs[p.ID] = p
			at, _ := slices.BinarySearchFunc(rr.tick.Processes, p, byPID)
			rr.tick.Processes = slices.Insert(rr.tick.Processes, at, p)
		}
	case lineExit:
		e := new(RecordedExit)
		if err := json.Unmarshal(line, e); err != nil {
			return false, err
		}
		rr.tick.Exits = append(rr.tick.Exits, e)
	case lineTick:
		return true, rr.useTick(line)
	case lineEnd:
		e := new(RecordingEnd)
		if err := json.Unmarshal(line, e); err != nil {
			return false, err
		}
		rr.end = e
	case lineHeader:
		return false, fmt.Errorf("%w: a second header: two recordings in one file", errOrder)
	default: // of a later version of this schema
		if !json.Valid(line) {
			return false, errOrder
		}
	}
	return false, nil
}

func byPID(a, b *RecordedProcess) int {
	return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
}

// lineType returns the type, which is the first key of every line.
func lineType(line []byte) string {
	var head struct{ Type string }
	const start = `{"type":"`
	if bytes.HasPrefix(line, []byte(start)) {
		if end := bytes.IndexByte(line[len(start):], '"'); end >= 0 {
			return string(line[len(start) : len(start)+end])
		}
	}
	if json.Unmarshal(line, &head) != nil {
		return ""
	}
	return head.Type
}
