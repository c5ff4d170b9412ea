package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// session is one run of the command.
type session struct {
	*options
	pairs          []pair
	build          *builder
	launch         *launcher
	cache          cache
	where          string
	stdout, stderr io.Writer
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == enterCommand {
		return enter(args[1:], stderr)
	}
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, usageText)
		return exitOK
	}
	var pairs []pair
	if err == nil {
		pairs, err = choose(corpus(), slices.Concat(o.only, heldOnly(o)))
	}
	if err != nil {
		fmt.Fprintf(stderr, "whatif-truth: %v\n%s\n", err, usageText)
		return exitUsage
	}
	if o.list {
		if err := list(stdout, pairs, o.format); err != nil {
			fmt.Fprintf(stderr, "whatif-truth: %v\n", err)
			return exitFailure
		}
		return exitOK
	}
	s, err := newSession(o, pairs, stdout, stderr)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		err = s.run(ctx, stdin)
	}
	if err != nil {
		fmt.Fprintf(stderr, "whatif-truth: %v\n", err)
		return exitFailure
	}
	return exitOK
}

func heldOnly(o *options) []string {
	if o.hold == "" {
		return nil
	}
	return []string{o.hold}
}

func newSession(o *options, pairs []pair, stdout, stderr io.Writer) (*session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := raiseFileLimit(); err != nil {
		return nil, fmt.Errorf("limit of open files: %w", err)
	}
	if o.build, err = filepath.Abs(o.build); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(o.build, "programs"), 0o755); err != nil {
		return nil, err
	}
	// A module of its own: Guile's compiled files end in .go, and are below ./...
	if err := os.WriteFile(filepath.Join(o.build, "go.mod"), []byte("module unpacked\n"), 0o644); err != nil {
		return nil, err
	}
	sources := filepath.Join(o.repo, "scripts", "whatiftruth", "corpus")
	log := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	return &session{
		options: o, pairs: pairs, stdout: stdout, stderr: stderr, where: whereNative,
		build:  &builder{dir: o.build, repo: o.repo, corpus: sources, log: log},
		launch: &launcher{self: self, corpus: sources},
		cache:  cache{filepath.Join(o.build, "truth")},
	}, nil
}

func (s *session) run(ctx context.Context, stdin io.Reader) error {
	switch {
	case s.hold != "":
		return s.holdOne(ctx, &s.pairs[0], stdin)
	case s.inGuest != "":
		return s.guestSide(ctx)
	}
	if s.vm || !s.executesNarrow(ctx) {
		s.where = whereGuest
	}
	r := report{Schema: reportSchema, Where: s.where, Host: hostLine()}
	failed := 0
	works := s.prepare(ctx)
	if err := s.askGuest(ctx, works); err != nil {
		return err
	}
	for i, w := range works {
		fmt.Fprintf(s.stderr, "[%d/%d] %s\n", i+1, len(works), w.pair.name)
		row := newRow(w.pair)
		if err := s.measure(ctx, w, &row); err != nil {
			row.Failed = err.Error()
			fmt.Fprintf(s.stderr, "whatif-truth: %v\n", err)
			failed++
		}
		r.Rows = append(r.Rows, row)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r.Summary = summarize(r.Rows)
	if err := r.write(s.stdout, s.format); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d programs failed", failed, len(works))
	}
	return nil
}

// work is one pair, built.
type work struct {
	pair         *pair
	wide, narrow *built
	key          string
	known        *truth  // from the cache
	guest        []usage // 32-bit figures that the guest has measured
	err          error
}

func (s *session) prepare(ctx context.Context) []*work {
	var all []*work
	for i := range s.pairs {
		w := &work{pair: &s.pairs[i]}
		all = append(all, w)
		if w.wide, w.err = s.build.build(ctx, w.pair, wide); w.err != nil {
			continue
		}
		if w.narrow, w.err = s.build.build(ctx, w.pair, narrow); w.err != nil {
			continue
		}
		w.key = strings.Join([]string{w.wide.version, w.narrow.version, s.where, kernelRelease()}, " ")
		if t, ok, err := s.cache.get(w.pair.name, s.where, w.key); err != nil {
			w.err = err
		} else if ok && !s.fresh {
			w.known = &t
		}
	}
	return all
}

// measure fills the row: the truth, from the cache or measured, and the
// estimate, always asked anew.
func (s *session) measure(ctx context.Context, w *work, row *row) error {
	if w.err != nil {
		return w.err
	}
	if w.known == nil {
		wides, err := s.launches(ctx, w.pair, w.wide)
		if err != nil {
			return fmt.Errorf("64 bits: %w", err)
		}
		narrows := w.guest
		if s.where == whereNative {
			if narrows, err = s.launches(ctx, w.pair, w.narrow); err != nil {
				return fmt.Errorf("32 bits: %w", err)
			}
		}
		t := newTruth(w.pair.name, w.key, s.where, wides, narrows)
		if err := s.cache.put(t); err != nil {
			return err
		}
		w.known = &t
	}
	row.setTruth(*w.known)
	if s.truth {
		return nil
	}
	e, err := s.ask(ctx, w)
	if err != nil {
		return err
	}
	row.setEstimate(e)
	return nil
}

// launches measures one side. The first launch fills the page cache and the
// interpreters' caches of compiled modules; it is not counted.
func (s *session) launches(ctx context.Context, p *pair, b *built) ([]usage, error) {
	var all []usage
	for i := range s.options.launches + 1 {
		u, err := s.once(ctx, p, b, nil)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			all = append(all, u)
		}
	}
	return all, nil
}

// once launches, measures and ends a program; then may look at it as well.
func (s *session) once(ctx context.Context, p *pair, b *built, then func(pid int) error) (usage, error) {
	r, err := s.launch.start(ctx, p, b)
	if err != nil {
		return usage{}, err
	}
	defer r.stop()
	u, err := r.settled(ctx)
	if err == nil && then != nil {
		err = then(r.pid)
	}
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w", p.name, err)
	}
	return u, nil
}

// ask runs rsswatch whatif on the 64-bit program at its stage.
func (s *session) ask(ctx context.Context, w *work) (e estimate, err error) {
	_, err = s.once(ctx, w.pair, w.wide, func(pid int) error {
		out, err := exec.CommandContext(ctx, s.rsswatch, "whatif", "--format", "json", strconv.Itoa(pid)).Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("rsswatch whatif: %w: %s", err, lastLine(exit.Stderr))
		}
		if err == nil {
			e, err = parseWhatIf(out)
		}
		return err
	})
	return e, err
}

// holdOne keeps a program at its stage, for somebody to look at.
func (s *session) holdOne(ctx context.Context, p *pair, stdin io.Reader) error {
	size := wide
	if s.bits == narrow.bits {
		size = narrow
	}
	b, err := s.build.build(ctx, p, size)
	if err != nil {
		return err
	}
	_, err = s.once(ctx, p, b, func(pid int) error {
		fmt.Fprintln(s.stdout, pid)
		ended := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, stdin); close(ended) }()
		select {
		case <-ended:
		case <-ctx.Done():
		}
		return nil
	})
	return err
}

// executesNarrow says whether this kernel executes 32-bit programs.
func (s *session) executesNarrow(ctx context.Context) bool {
	probe := filepath.Join(s.options.build, "programs", "calib-bytes-"+narrow.goarch)
	if err := s.build.goBuild(ctx, "calib-bytes", narrow.goarch, probe); err != nil {
		return true // the build of the programs will say it
	}
	cmd := exec.CommandContext(ctx, probe) // its input is empty: it ends at once
	return cmd.Run() == nil
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "?"
	}
	return unix.ByteSliceToString(u.Release[:])
}

func hostLine() string {
	thp, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return fmt.Sprintf("Host: Linux %s, transparent huge pages: %s.", kernelRelease(), strings.TrimSpace(string(thp)))
}
