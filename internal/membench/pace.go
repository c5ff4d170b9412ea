package membench

import (
	"fmt"
	"time"

	"wordsize/internal/result"
)

// Step tells how far a curve is.
type Step struct {
	Launch, Launches int // from 0
	Part, Parts      int // of this launch, from 0
	What             string
}

// DefaultLimit is how long the measurement of a curve may take unless told.
const DefaultLimit = 5 * time.Minute

// ParseLimit reads --limit: seconds or a Go duration, above 0.
func ParseLimit(s string) (time.Duration, error) {
	d, err := ParseMinTime(s)
	if err != nil || d <= 0 {
		return 0, &ArgError{"--limit", s, "seconds above 0, such as 300, 90s or 5m"}
	}
	return d, nil
}

// A pace decides whether another launch may be begun within a limit.
type pace struct {
	limit   time.Duration
	started time.Time
	begun   time.Time // the launch that runs
	longest time.Duration
}

func newPace(limit time.Duration) *pace { return &pace{limit: limit, started: time.Now()} }

// next says whether a launch as long as the longest so far would end in time;
// the first one always may.
func (p *pace) next() bool {
	if !p.begun.IsZero() {
		p.longest = max(p.longest, time.Since(p.begun))
	}
	p.begun = time.Now()
	return p.longest == 0 || p.limit <= 0 || time.Since(p.started)+p.longest <= p.limit
}

// tooLate is the warning of launches that the limit left out.
func (p *pace) tooLate(made, wanted int) result.Warning {
	return result.Warning{Code: result.WarnTimeLimit, Values: values{"launches": float64(made), "repeat": float64(wanted), "limit_ns": float64(p.limit)}}
}

// Estimate is about how long something may take.
type Estimate struct {
	Time     time.Duration
	Launches int
	Each     string // what a launch is: "8 counts"
}

func (e Estimate) String() string {
	return fmt.Sprintf("about %s: %d launches of %s", e.Time.Round(time.Second), e.Launches, e.Each)
}

// CurveEnv is what the measurement of a curve happens in. Begin, where set, is
// told how long it may take, once nothing speaks against it; Step what begins.
type CurveEnv struct {
	Env
	Begin func(Estimate)
	Step  func(Step)
}

func (e *CurveEnv) begin(s Estimate) {
	if e.Begin != nil {
		e.Begin(s)
	}
}

func (e *CurveEnv) step(s Step) {
	if e.Step != nil {
		e.Step(s)
	}
}
