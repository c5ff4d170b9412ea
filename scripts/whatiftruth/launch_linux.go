package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// launcher starts programs and brings them to their stage.
type launcher struct {
	self   string // this program, for enter-root
	corpus string
}

// running is a program at its stage.
type running struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	keep  connections
	pid   int // of what is measured
	tail  *tailWriter
	done  chan struct{}
}

// stageTimeout is generous: emulated machines run this too.
const stageTimeout = 10 * time.Minute

// start launches a program and returns when it has reached its stage.
func (l *launcher) start(ctx context.Context, p *pair, b *built) (_ *running, err error) {
	ctx, cancel := context.WithTimeout(ctx, stageTimeout)
	defer cancel()
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	if err := l.setUp(ctx, p, b); err != nil {
		return nil, err
	}
	args, err := l.arguments(b, b.args, port)
	if err != nil {
		return nil, err
	}
	r := &running{cmd: l.command(b, p, args), tail: &tailWriter{}, done: make(chan struct{})}
	r.cmd.Stderr = r.tail
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	r.cmd.Stdout = w
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		w.Close()
		return nil, err
	}
	err = r.cmd.Start()
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	go func() { _ = r.cmd.Wait(); close(r.done) }()
	defer func() {
		if err != nil {
			r.stop()
			err = fmt.Errorf("%s: %w%s", p.name, err, r.tail.said())
		}
	}()
	if err := r.reach(ctx, l, p, out, port); err != nil {
		return nil, err
	}
	r.pid = r.cmd.Process.Pid
	if p.worker {
		if r.pid, err = newestChild(r.pid); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// reach feeds the program and waits until it says READY or listens.
func (r *running) reach(ctx context.Context, l *launcher, p *pair, out *os.File, port int) error {
	if p.stdin != "" {
		text, err := os.ReadFile(filepath.Join(l.corpus, p.stdin))
		if err != nil {
			return err
		}
		if _, err := r.stdin.Write(text); err != nil {
			return err
		}
	}
	if !p.listens {
		return r.waitReady(ctx, out)
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := r.waitListen(ctx, addr); err != nil {
		return err
	}
	if p.load == nil {
		return nil
	}
	return p.load(ctx, addr, &r.keep)
}

func (r *running) waitReady(ctx context.Context, out *os.File) error {
	ready := make(chan error, 1)
	go func() {
		s := bufio.NewScanner(out)
		for s.Scan() {
			if strings.TrimSpace(s.Text()) == "READY" {
				ready <- nil
				return
			}
		}
		ready <- errors.New("ended before it was READY")
	}()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *running) waitListen(ctx context.Context, addr string) error {
	for {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("does not listen: %w", err)
		case <-r.done:
			return errors.New("ended before it listened")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// settled measures when the resident size has come to rest.
func (r *running) settled(ctx context.Context) (usage, error) {
	var last usage
	for same, tries := 0, 0; ; tries++ {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", r.pid))
		if err != nil {
			return usage{}, err
		}
		u, err := parseRollup(string(text))
		if err != nil {
			return usage{}, err
		}
		if d := u.RSS - last.RSS; max(d, -d) <= u.RSS/1000 {
			same++
		} else {
			same = 0
		}
		if last = u; same >= 3 || tries > 100 {
			return u, nil
		}
		select {
		case <-ctx.Done():
			return usage{}, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stop ends the program and its children: their process group.
func (r *running) stop() {
	r.keep.close()
	r.stdin.Close()
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-r.done:
	case <-time.After(3 * time.Second):
	}
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-r.done
}

// command makes the process: on the host, or in the program's root folder.
func (l *launcher) command(b *built, p *pair, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "LANG=C.UTF-8", "TZ=UTC", "PYTHONHASHSEED=0", "PYTHONPYCACHEPREFIX=/tmp/pyc", "TMPDIR=/tmp"}
	if b.root != "" {
		user := -1
		if p.noRoot && os.Getuid() == 0 {
			user = plainUser
		}
		cmd.Path, cmd.Args = l.self, append([]string{l.self}, enterArgs(b.root, l.corpus, user, args)...)
		cmd.SysProcAttr = namespaces()
	}
	return cmd
}

// setUp runs the command that comes once before the first launch in a root.
func (l *launcher) setUp(ctx context.Context, p *pair, b *built) error {
	if len(p.setup) == 0 {
		return nil
	}
	mark := filepath.Join(b.root, "programs", p.name+".set-up")
	if _, err := os.Stat(mark); err == nil {
		return nil
	}
	cmd := l.command(b, p, p.setup)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %s: %w: %s", p.name, p.setup[0], err, lastLine(out))
	}
	return os.WriteFile(mark, nil, 0o644)
}

// arguments fills in the port and the folders, and writes the configuration
// files that hold the port.
func (l *launcher) arguments(b *built, args []string, port int) ([]string, error) {
	corpus, number := l.corpus, strconv.Itoa(port)
	if b.root != "" {
		corpus = "/corpus"
	}
	out := make([]string, len(args))
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "@CONFIG@/"); ok {
			text, err := os.ReadFile(filepath.Join(l.corpus, "servers", name))
			if err != nil {
				return nil, err
			}
			text = bytes.ReplaceAll(text, []byte("@PORT@"), []byte(number))
			if err := os.WriteFile(filepath.Join(b.root, "config", name), text, 0o644); err != nil {
				return nil, err
			}
			a = "/config/" + name
		}
		out[i] = strings.NewReplacer("@PORT@", number, "@CORPUS@", corpus).Replace(a)
	}
	return out, nil
}

// raiseFileLimit makes room for the connections of the loads, in this process
// and in the programs it starts: the Go runtime raises the limit too, but gives
// programs the old one.
func raiseFileLimit() error {
	const want = 16384
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	if l.Max < want && syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: want, Max: want}) == nil {
		return nil // root
	}
	l.Cur = min(l.Max, want)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: l.Cur, Max: l.Max})
}

// freePort asks the system for a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// newestChild returns the child that started last.
func newestChild(parent int) (int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	var best, bestStart uint64
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has gone
		}
		// the name may hold anything; the last parenthesis ends it
		_, rest, _ := strings.Cut(string(b[max(0, bytes.LastIndexByte(b, ')')):]), " ")
		f := strings.Fields(rest)
		if len(f) < 20 || f[1] != strconv.Itoa(parent) {
			continue
		}
		pid, _ := strconv.ParseUint(filepath.Base(filepath.Dir(file)), 10, 64)
		start, _ := strconv.ParseUint(f[19], 10, 64)
		if start > bestStart || start == bestStart && pid > best {
			best, bestStart = pid, start
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("process %d has no child to measure", parent)
	}
	return int(best), nil
}

// tailWriter keeps the end of what a program says on standard error.
type tailWriter struct{ b []byte }

func (t *tailWriter) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - 2000; n > 0 {
		t.b = slices.Delete(t.b, 0, n)
	}
	return len(p), nil
}

// said returns the last line, for an error message.
func (t *tailWriter) said() string {
	if len(t.b) == 0 {
		return ""
	}
	return ": " + lastLine(t.b)
}
