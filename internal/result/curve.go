package result

import "time"

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
