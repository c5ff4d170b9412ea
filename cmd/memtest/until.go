package main

import (
	"fmt"
	"io"
	"time"

	"wordsize/internal/compare"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
	"wordsize/internal/stats"
	"wordsize/internal/steady"
)

// defaultMost is --repeat with --until, unless told.
const defaultMost = 100

// untilFlags are --until and what belongs to it, as given.
type untilFlags struct {
	percent     string
	limit       time.Duration
	limitGiven  bool
	repeatGiven bool
}

// untilConfig validates --until and puts it into a request.
func (f *benchFlags) untilConfig(c *membench.Config) error {
	u := &f.until
	if u.percent == "" {
		if u.limitGiven {
			return usagef("--until-time: want --until with it, such as --until 1%%")
		}
		return nil
	}
	percent, err := compare.ParsePercent(unshield(u.percent))
	if err == nil && percent == 0 {
		err = fmt.Errorf("%q is not right: want a percentage above 0, such as 1%%", u.percent)
	}
	if err != nil {
		return usagef("--until: %w", err)
	}
	if u.limit < 0 {
		return usagef("--until-time: %v is not right: want a duration such as 10m, or 0 for no limit", u.limit)
	}
	if !u.repeatGiven {
		c.Repeat = defaultMost
	}
	if c.Repeat < stats.MinForInterval {
		return usagef("--repeat: %d is not right with --until: want at least %d launches, for fewer have no interval", c.Repeat, stats.MinForInterval)
	}
	c.Until, c.UntilTime = percent, u.limit
	return nil
}

// newWatch returns what decides when enough launches were made; nil without
// --until. before is called in front of each line on standard error.
func (f *benchFlags) newWatch(c *membench.Config, stderr io.Writer, before func()) *steady.Watch {
	if c.Until == 0 {
		return nil
	}
	w := steady.NewWatch(c.Until, c.UntilTime, c.Repeat)
	if !f.quiet && !f.classicByName {
		w.Say = func(s steady.State) {
			before()
			fmt.Fprintln(stderr, report.UntilState(s.Launches, s.Percent, s.Wanted, s.Needed()))
		}
	}
	return w
}

// judge puts into records what became of --until, and how steady launches and
// passes were.
func judge(runs []*result.Run, w *steady.Watch, err error) {
	if w != nil {
		w.Finish(runs, err != nil)
	}
	for _, run := range runs {
		run.Warnings = append(run.Warnings, steady.Warnings(run)...)
	}
}
