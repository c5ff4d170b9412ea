package record

import (
	"io"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// Methods of learning of ends, besides those of package result: the best that
// is allowed and disturbs nobody.
const exitsAuto = "auto"

// ExitsMethods are the values of Config.Exits.
var ExitsMethods = []string{exitsAuto, result.ExitsTaskstats, result.ExitsConnector, result.ExitsPtrace, result.ExitsWait}

// Config is what to record and how.
type Config struct {
	Command []string // empty to record running processes alone
	Path    string   // of the program, see Find
	Env     []string
	// Watch selects running processes; nil for none.
	Watch     *procstat.Selection
	WatchedBy *result.WatchedBy // the same for the record

	Labels    []result.Label
	Interval  time.Duration
	For       time.Duration // 0 for no end
	WaitAll   bool          // go on until all descendants have ended
	PSSBudget float64       // share of the time
	// Estimate makes estimates for the other word size in the share WhatIfBudget
	// of the time; nil makes none.
	Estimate     procstat.EstimateFunc
	WhatIfBudget float64
	Exits        string // one of ExitsMethods

	Tool result.Tool
	Host result.Host
	FS   hostinfo.FS

	// Out takes the recording. When it cannot be written any more, Warn is
	// told and the command goes on.
	Out  io.Writer
	Warn func(msg string) // what the user should know at once
	// Stop ends the recording of running processes; with a command, signals are
	// passed on to it instead.
	Stop <-chan struct{}
	// TookSignals is called when signals are passed on from now on.
	TookSignals func()
}

// Outcome is how it went.
type Outcome struct {
	Status    int // exit status for our own caller: the command's, 128+n for a signal
	End       result.RecordingEnd
	WriteErr  error // why the recording is not complete
	StartErr  error // why the command could not be started; nothing was recorded
	NeverSeen bool  // nothing was ever recorded
}
