package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// askGuest measures the 32-bit programs whose truth is not known yet in the
// virtual machine of scripts/vm, in one boot. Its kernel is a 64-bit one, as
// the host's: only the program differs.
func (s *session) askGuest(ctx context.Context, works []*work) error {
	var names []string
	for _, w := range works {
		if w.err == nil && w.known == nil {
			names = append(names, w.pair.name)
		}
	}
	if s.where != whereGuest || len(names) == 0 {
		return nil
	}
	out, err := os.MkdirTemp(s.options.build, "guest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	// Under emulation all takes some twenty times as long.
	cmd := exec.CommandContext(ctx, filepath.Join(s.repo, "scripts", "vm", "run.sh"), "--kernel", "amd64", "--mem", "6144", "--smp", "2",
		"--timeout", strconv.Itoa(5*len(names)+10)+"m", "--share", s.options.build+":/truth:cow", "--share", s.build.corpus+":/repo/scripts/whatiftruth/corpus:ro", "--out", out,
		"--", s.launch.self, "--repo", "/repo", "--build", "/truth", "--launches", strconv.Itoa(s.options.launches), "--only", strings.Join(names, ","), "--in-guest", "/out/narrow.json")
	cmd.Stdout, cmd.Stderr = s.stderr, s.stderr
	runErr := cmd.Run()
	b, err := os.ReadFile(filepath.Join(out, "narrow.json"))
	if err != nil {
		return fmt.Errorf("the virtual machine: %w", errors.Join(runErr, err))
	}
	figures := map[string]guestFigures{}
	if err := json.Unmarshal(b, &figures); err != nil {
		return fmt.Errorf("the virtual machine: %w", err)
	}
	for _, w := range works {
		if w.err != nil || w.known != nil {
			continue
		}
		g, ok := figures[w.pair.name]
		switch {
		case !ok:
			w.err = fmt.Errorf("%s: the virtual machine ended before it was measured (%v)", w.pair.name, runErr)
		case g.Failed != "":
			w.err = fmt.Errorf("32 bits, in the virtual machine: %s", g.Failed)
		default:
			w.guest = g.Launches
		}
	}
	return nil
}

// guestFigures are one program's, as they leave the guest.
type guestFigures struct {
	Launches []usage `json:"launches,omitempty"`
	Failed   string  `json:"failed,omitempty"`
}

// guestSide runs inside the guest: it measures what the host has built, and
// keeps the file up to date, for whoever runs out of time.
func (s *session) guestSide(ctx context.Context) error {
	all := map[string]guestFigures{}
	for i := range s.pairs {
		p := &s.pairs[i]
		fmt.Fprintf(s.stderr, "guest [%d/%d] %s\n", i+1, len(s.pairs), p.name)
		var g guestFigures
		var err error
		if g.Launches, err = s.launches(ctx, p, s.prebuilt(p, narrow)); err != nil {
			g = guestFigures{Failed: err.Error()}
		}
		all[p.name] = g
		b, err := json.Marshal(all)
		if err == nil {
			err = os.WriteFile(s.inGuest, b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prebuilt is where build has put a program, or will have.
func (s *session) prebuilt(p *pair, size wordSize) *built {
	b := &built{args: p.args}
	if len(p.packages) > 0 {
		b.root = (&debian{dir: s.options.build, size: size}).root()
	}
	if p.goMain != "" {
		b.args = append([]string{filepath.Join(s.options.build, "programs", p.goMain+"-"+size.goarch)}, p.args...)
	}
	return b
}
