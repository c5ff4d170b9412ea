package gotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Event is a line of `go tool test2json` (its documentation names the fields).
type Event struct {
	Action string
	Test   string // "" for the package itself
	Output string
}

// Skip is a skipped test and what it said.
type Skip struct{ Test, Reason string }

// Package is the result of one package.
type Package struct {
	Import                  string
	OK                      bool
	Done                    bool // the test binary has ended
	NotRun                  bool
	Passed, Skipped, Failed int // tests and subtests
	Skips                   []Skip
	Tests                   map[string]string // pass, skip or fail by test
	Wall                    time.Duration
	Note                    string // why it failed where no test says so

	out     map[string][]string // output lines by test, "" for the package's own
	order   []string            // tests in the order of their first output
	running map[string]bool
}

// NewPackage returns the empty result of a package.
func NewPackage(imp string) *Package {
	return &Package{Import: imp, Tests: map[string]string{}, out: map[string][]string{}, running: map[string]bool{}}
}

// Read takes a stream of events to its end; each output also goes to live, if
// that is not nil.
func (p *Package) Read(r io.Reader, live io.Writer) error {
	d := json.NewDecoder(r)
	for {
		var e Event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("test events of %s: %w", p.Import, err)
		}
		if e.Action == "output" && live != nil && !finalWord(e) {
			if _, err := io.WriteString(live, e.Output); err != nil {
				return err
			}
		}
		p.Add(e)
	}
}

// finalWord reports whether the output is the PASS or FAIL that ends a test
// binary's output: the report has a line of its own for it.
func finalWord(e Event) bool {
	return e.Test == "" && (e.Output == "PASS\n" || e.Output == "FAIL\n")
}

// Add takes one event.
func (p *Package) Add(e Event) {
	switch e.Action {
	case "run":
		p.running[e.Test] = true
	case "output":
		if _, ok := p.out[e.Test]; !ok {
			p.order = append(p.order, e.Test)
		}
		p.out[e.Test] = append(p.out[e.Test], e.Output)
	case "pass", "skip", "fail":
		if e.Test == "" {
			return // the exit status decides
		}
		p.Tests[e.Test] = e.Action
		delete(p.running, e.Test)
		switch e.Action {
		case "pass":
			p.Passed++
		case "fail":
			p.Failed++
		case "skip":
			p.Skipped++
			p.Skips = append(p.Skips, Skip{e.Test, reason(p.out[e.Test])})
		}
	}
}

// Finish closes the result with the exit status of the test binary. A test
// that was running when the binary ended has failed.
func (p *Package) Finish(status int, wall time.Duration, note string) {
	p.Wall, p.Done = wall, true
	p.OK = status == 0 && p.Failed == 0
	if status == 0 {
		return
	}
	p.Note = note
	for _, t := range sortedKeys(p.running) {
		if p.Tests[t] == "" {
			p.Tests[t] = "fail"
			p.Failed++
		}
	}
	if p.Note == "" && p.Failed == 0 {
		p.Note = fmt.Sprintf("the test binary ended with status %d and no failed test", status)
	}
}

func sortedKeys(m map[string]bool) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// place is the "file.go:12: " in front of what a test logs.
var place = regexp.MustCompile(`^\S+\.go:\d+: `)

// reason is what a skipped test said, on one line.
func reason(lines []string) string {
	var words []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "--- ") {
			continue
		}
		words = append(words, place.ReplaceAllString(l, ""))
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, "; ")
}

// Failure returns what `go test` prints of a failed package: the output of
// failed tests and everything that belongs to no test.
func (p *Package) Failure() string {
	var b strings.Builder
	for _, t := range p.order {
		if t != "" && p.Tests[t] != "fail" {
			continue
		}
		for _, l := range p.out[t] {
			if !strings.HasPrefix(l, "=== ") && !finalWord(Event{Test: t, Output: l}) {
				b.WriteString(l)
			}
		}
	}
	return b.String()
}

// Line is the package's result in the form of `go test`, with counts.
func (p *Package) Line() string {
	counts := fmt.Sprintf("%d passed", p.Passed)
	if p.Skipped > 0 {
		counts += fmt.Sprintf(", %d skipped", p.Skipped)
	}
	switch {
	case p.NotRun:
		return fmt.Sprintf("FAIL\t%s\t[not run]", p.Import)
	case p.OK:
		return fmt.Sprintf("ok  \t%s\t%.3fs\t%s", p.Import, p.Wall.Seconds(), counts)
	}
	return fmt.Sprintf("FAIL\t%s\t%.3fs\t%s, %d failed", p.Import, p.Wall.Seconds(), counts, p.Failed)
}

// Summary sums up all packages: a line per skipped test, then one line of
// totals. broken is the number of packages that could not be built.
func Summary(all []*Package, broken int) string {
	var b strings.Builder
	var passed, skipped, failed int
	for _, p := range all {
		passed += p.Passed
		skipped += p.Skipped
		failed += p.Failed
		for _, s := range p.Skips {
			fmt.Fprintf(&b, "skipped: %s %s: %s\n", p.Import, s.Test, s.Reason)
		}
		if p.Note != "" {
			fmt.Fprintf(&b, "failed: %s: %s\n", p.Import, p.Note)
		}
	}
	if broken > 0 {
		fmt.Fprintf(&b, "failed: %d packages could not be built\n", broken)
	}
	fmt.Fprintf(&b, "%d packages, %d tests passed, %d skipped, %d failed\n", len(all)+broken, passed, skipped, failed)
	return b.String()
}

// OK reports whether every package passed.
func OK(all []*Package, broken int) bool {
	return broken == 0 && !slices.ContainsFunc(all, func(p *Package) bool { return !p.OK })
}

// Compare lists the tests whose result differs between two runs of the same
// packages, and those that only one of them has.
func Compare(aName string, a []*Package, bName string, b []*Package) []string {
	results := func(all []*Package) map[string]string {
		m := map[string]string{}
		for _, p := range all {
			for t, r := range p.Tests {
				m[p.Import+" "+t] = r
			}
		}
		return m
	}
	ra, rb := results(a), results(b)
	var out []string
	for t, r := range ra {
		if other := rb[t]; other == "" {
			out = append(out, fmt.Sprintf("%s: %s on %s, absent on %s", t, r, aName, bName))
		} else if other != r {
			out = append(out, fmt.Sprintf("%s: %s on %s, %s on %s", t, r, aName, other, bName))
		}
	}
	for t, r := range rb {
		if ra[t] == "" {
			out = append(out, fmt.Sprintf("%s: absent on %s, %s on %s", t, aName, r, bName))
		}
	}
	slices.Sort(out)
	return out
}
