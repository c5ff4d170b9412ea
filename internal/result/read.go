package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// What can be wrong with a file that should hold records. Test with errors.Is.
var (
	ErrEmpty     = errors.New("is empty: no record was written")
	ErrTruncated = errors.New("is truncated")
	ErrNoResult  = errors.New("is no memtest result")
	ErrNewer     = errors.New("was written by a newer memtest")
	ErrNoLaunch  = errors.New("holds no complete launch")
	ErrTwice     = errors.New("is given twice")
	ErrNoRecords = errors.New("holds no memtest results (*.json)")
)

// ReadError says which file could not be used, and why.
type ReadError struct {
	Name string
	Err  error
}

func (e *ReadError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// otherKindError is a record of this module that is not a run.
type otherKindError struct{ kind string }

func (e *otherKindError) Error() string {
	if newCurve(e.kind) != nil {
		return fmt.Sprintf("is a %s record: want one of memtest N T MB, for curves are not compared; memtest report shows them beside each other", e.kind)
	}
	return fmt.Sprintf("is a %s record: want one of memtest N T MB", e.kind)
}
func (e *otherKindError) Is(target error) bool { return target == ErrNoResult }

// ParseRuns reads runs: records and arrays of them, one or several in a row,
// as cat makes them. What can be used is returned, with the error, one of the
// above, of the first record that cannot; behind broken JSON there is nothing
// more.
func ParseRuns(b []byte) ([]*Run, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, ErrEmpty
	}
	var runs []*Run
	var unusable error // the first record that is one, and cannot be used
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		start := d.InputOffset()
		if rest := bytes.TrimLeft(b[start:], " \t\r\n"); len(rest) > 0 && rest[0] == '[' {
			var err error
			if runs, err = parseArray(d, b, runs); err != nil && !skippable(err) {
				return runs, cmp.Or(unusable, err)
			}
			unusable = cmp.Or(unusable, err)
			continue
		}
		run := new(Run)
		err := d.Decode(run)
		if errors.Is(err, io.EOF) {
			if len(runs) == 0 && unusable == nil { // [] alone
				unusable = ErrEmpty
			}
			return runs, unusable
		}
		switch err := check(run, err, b[start:d.InputOffset()], len(b)); {
		case err == nil:
			runs = append(runs, run.migrate())
		case !skippable(err):
			return runs, cmp.Or(unusable, err)
		default:
			unusable = cmp.Or(unusable, err)
		}
	}
}

// skippable says whether an error is of one record that was read to its end,
// so that what follows can be read: a kernel that failed costs no other.
func skippable(err error) bool {
	return errors.Is(err, ErrNoLaunch) || errors.Is(err, ErrNewer)
}

// parseArray reads the array that the decoder stands before and adds its
// records to runs.
func parseArray(d *json.Decoder, b []byte, runs []*Run) ([]*Run, error) {
	if _, err := d.Token(); err != nil { // "["
		return runs, fmt.Errorf("%w: %w", ErrNoResult, err)
	}
	var unusable error
	for d.More() {
		start := d.InputOffset()
		run := new(Run)
		err := d.Decode(run)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		raw := bytes.TrimLeft(b[start:d.InputOffset()], ", \t\r\n")
		switch err := check(run, err, raw, len(b)); {
		case err == nil:
			runs = append(runs, run.migrate())
		case !skippable(err):
			return runs, cmp.Or(unusable, err)
		default:
			unusable = cmp.Or(unusable, err)
		}
	}
	if _, err := d.Token(); err != nil { // "]"
		return runs, fmt.Errorf("%w: it ends within an array, after %d bytes", ErrTruncated, len(b))
	}
	return runs, unusable
}

// migrate fills in what older records of this schema leave to be understood.
func (r *Run) migrate() *Run {
	if r.Args.Parallel == "" {
		r.Args.Parallel = ParallelProcesses
	}
	if r.Args.NUMA == "" {
		r.Args.NUMA = NUMADefault
	}
	return r
}

// check says what is wrong with a decoded record; raw is its text, size the
// length of all in bytes.
func check(run *Run, err error, raw []byte, size int) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends within the JSON, after %d bytes", ErrTruncated, size)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: not JSON (%w, byte %d)", ErrNoResult, err, syntax.Offset)
	}
	var other struct{ Schema string }
	if err != nil && json.Unmarshal(raw, &other) == nil && strings.HasPrefix(other.Schema, "rsswatch") {
		return &otherKindError{other.Schema}
	}
	var head struct {
		Schema int
		Kind   string
	}
	head.Schema, head.Kind = run.Schema, run.Kind
	if err != nil { // a key of another type: perhaps another record altogether
		if json.Unmarshal(raw, &head) != nil {
			return fmt.Errorf("%w: JSON, but not a record (%w)", ErrNoResult, err)
		}
	}
	switch {
	case head.Kind == "":
		return fmt.Errorf("%w: JSON without a \"kind\"", ErrNoResult)
	case head.Kind != RunKind:
		return &otherKindError{head.Kind}
	case head.Schema > RunSchema:
		return fmt.Errorf("%w: schema %d, this one reads up to %d", ErrNewer, head.Schema, RunSchema)
	case head.Schema < 1:
		return fmt.Errorf("%w: schema %d", ErrNoResult, head.Schema)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNoResult, err)
	}
	if run.Usable() {
		return nil
	}
	if run.Error != "" {
		return fmt.Errorf("%w: the run failed: %s", ErrNoLaunch, run.Error)
	}
	return ErrNoLaunch
}

// Usable says whether a run has a complete phase: a figure.
func (r *Run) Usable() bool {
	for _, l := range r.Launches {
		for i := range l.Phases {
			if l.Phases[i].Summary != nil {
				return true
			}
		}
	}
	return false
}
