// Package tui is the live screen of rsswatch. It measures nothing: a
// [Backend] hands it frames, from this host or from a recording.
//
// The rows are drawn here rather than by bubbles/table: that one styles every
// cell of every row on each update, cuts numbers at the left of a column and
// knows no right alignment, while a tick may bring ten thousand rows of which
// thirty are seen. Its text input edits the prompts.
package tui

import (
	"context"
	"regexp"
	"time"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// Request says what the screen will show of the next frame, so that the
// backend reads no more than that.
type Request struct {
	Delay      time.Duration
	Columns    []*report.ProcessColumn
	Sort       *report.ProcessColumn
	Descending bool
	Tree       bool
	Threads    bool
	Filter     *regexp.Regexp // nil for none
	First      int            // the first row on the screen
	Limit      int            // rows on the screen

	Group           string // kind of group, "" for processes
	GroupSort       *report.GroupColumn
	GroupDescending bool
	GroupColumns    []*report.GroupColumn

	// Of a recording: how many ticks to move, back when below 0, or where to
	// go, as typed; "" does not.
	Step int
	Seek string
}

// Frame is one tick as the screen shows it. Its records are not used any more
// once the frame after the next has been asked for.
type Frame struct {
	Tick    *result.WatchTick
	Host    *result.Host
	Memory  result.Memory
	Context report.WatchContext
	PSS     bool            // PSS is being read
	Replay  *ReplayPosition // of a recording
}

// Details is what is known of one process.
type Details struct {
	Facts    [][2]string // name and value
	Mappings []Mapping
	Problems []string // what could not be read, and why
}

// Mapping is the sum of the mappings of one kind or file, in bytes.
type Mapping struct {
	Name                      string
	Count                     int
	Size, RSS, PSS, USS, Swap int64
}

// Backend supplies the screen.
type Backend interface {
	// Frame takes a tick. It is called once at a time.
	Frame(ctx context.Context, r *Request) (*Frame, error)
	// Details looks at the process that has this PID and start, an error when
	// it has ended. It may be called while Frame is, but once at a time.
	Details(ctx context.Context, pid int32, start uint64) (*Details, error)
	// Save writes a frame to a new file, in the format that its name ends in,
	// .csv or .json.
	Save(name string, f *Frame, r *Request) error
}

// Config sets up the screen.
type Config struct {
	Delay           time.Duration
	Columns         []*report.ProcessColumn // nil for what fits
	GroupColumns    []*report.GroupColumn   // nil for what fits
	Sort            *report.ProcessColumn
	Descending      bool
	GroupSort       *report.GroupColumn
	GroupDescending bool
	Group           string
	GroupKinds      []string // the kinds of groups there are
	Threads         bool
	PSS             bool    // PSS is read, so its columns make sense
	PSSBudget       float64 // share of the time that reading details may take, 0 for 1 %
	Selection       string  // what the command line selected, for the message that nothing is
	Color           bool
	ASCII           bool // the locale is not UTF-8
	Version         string
	Replay          bool // the backend plays a recording
}
