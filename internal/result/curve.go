package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// CurveHead is what the records of memtest scale, sweep and latency have in
// common; its keys stand beside the record's own.
type CurveHead struct {
	Schema      int       `json:"schema"`
	Kind        string    `json:"kind"`
	Tool        Tool      `json:"tool"`
	Started     time.Time `json:"started"` // wall clock
	ElapsedNS   int64     `json:"elapsed_ns"`
	Interrupted bool      `json:"interrupted"`     // stopped by a signal: only complete parts are here
	Error       string    `json:"error,omitempty"` // why it ended early
	LimitNS     int64     `json:"limit_ns"`        // of the whole; launches that would exceed it are not begun
	Repeat      int       `json:"repeat"`          // launches asked for
	Pin         string    `json:"pin"`
	Forced      bool      `json:"forced"` // memory checks overridden
	Host        Host      `json:"host"`
	Warnings    []Warning `json:"warnings"`
}

// Curve is one of *Scale, *Sweep and *Latency.
type Curve interface {
	Head() *CurveHead
	// Usable says whether there is a complete part: a figure.
	Usable() bool
}

// Head returns what all curves have.
func (h *CurveHead) Head() *CurveHead { return h }

// LoadedCurve is one curve with where it was read from.
type LoadedCurve struct {
	Arg   int    // index of the argument that named it
	File  string // "-" for standard input
	Curve Curve
}

// newCurve returns an empty record of a kind; nil when that is no curve.
func newCurve(kind string) Curve {
	switch kind {
	case ScaleKind:
		return new(Scale)
	case SweepKind:
		return new(Sweep)
	case LatencyKind:
		return new(Latency)
	}
	return nil
}

// ParseCurves reads records of memtest scale, sweep and latency, one or several
// in a row. The error is one of those of ParseRuns.
func ParseCurves(b []byte) ([]Curve, error) {
	var all []Curve
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return all, fmt.Errorf("%w: it ends within the JSON, after %d bytes", ErrTruncated, len(b))
		}
		if err != nil {
			return all, fmt.Errorf("%w: not JSON (%w)", ErrNoResult, err)
		}
		c, err := parseCurve(raw)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
}

func parseCurve(raw []byte) (Curve, error) {
	var head struct {
		Schema int
		Kind   string
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("%w: JSON, but not a record (%w)", ErrNoResult, err)
	}
	c := newCurve(head.Kind)
	switch {
	case c == nil:
		return nil, fmt.Errorf("%w: a %q record among curves", ErrNoResult, head.Kind)
	case head.Schema > RunSchema:
		return nil, fmt.Errorf("%w: schema %d, this one reads up to %d", ErrNewer, head.Schema, RunSchema)
	case head.Schema < 1:
		return nil, fmt.Errorf("%w: schema %d", ErrNoResult, head.Schema)
	}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoResult, err)
	}
	if !c.Usable() {
		return nil, ErrNoLaunch
	}
	return c, nil
}
