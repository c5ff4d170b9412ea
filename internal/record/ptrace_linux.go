package record

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// tracer follows the command and all its descendants by ptrace(2): it stops
// each at a fork and at the end of a thread. All of it happens on one thread,
// as the kernel wants it.
type tracer struct {
	ledger  *ledger
	command int32
	groups  map[int32]int32 // process id of each thread that is traced
}

// traceOptions: threads too, since any of them may fork.
const traceOptions = unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACEEXIT

// startTraced starts the command and follows it beside.
func (r *recorder) startTraced(ended chan<- endOf) (pid int32, err error) {
	type started struct {
		pid int32
		err error
	}
	begun := make(chan started)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its work
		t := &tracer{ledger: r.ledger, groups: map[int32]int32{}}
		pid, err := t.start(r.cfg)
		if err == nil {
			r.ledger.started(pid)
			r.ledger.floor = selfPeak().Value
			peek(r.ledger, pid)
		}
		begun <- started{pid, err}
		if err != nil {
			return
		}
		status, err := t.run(ended)
		ended <- endOf{all: true, status: status, err: err}
	}()
	s := <-begun
	return s.pid, s.err
}

// start starts the command so that it stops at once, and takes hold of it in
// the way that leaves SIGSTOP and SIGCONT their meaning (PTRACE_SEIZE), which
// cannot be asked for at the start.
func (t *tracer) start(cfg *Config) (int32, error) {
	pid, err := launch(cfg.Path, cfg.Command, cfg.Env, &syscall.SysProcAttr{Ptrace: true})
	if err != nil {
		return 0, err
	}
	fail := func(err error) (int32, error) {
		_ = unix.Kill(int(pid), unix.SIGKILL)
		_, _ = unix.Wait4(int(pid), nil, unix.WALL, nil)
		return 0, fmt.Errorf("--exits ptrace: %w", err)
	}
	var ws unix.WaitStatus
	if _, err := unix.Wait4(int(pid), &ws, unix.WALL, nil); err != nil || !ws.Stopped() {
		return fail(fmt.Errorf("the command did not stop (%v)", err))
	}
	if err := detachStopped(int(pid)); err != nil {
		return fail(err)
	}
	if err := unix.PtraceSeize(int(pid)); err != nil {
		return fail(err)
	}
	if _, err := unix.Wait4(int(pid), &ws, unix.WALL, nil); err != nil || !ws.Stopped() {
		return fail(fmt.Errorf("the command did not stop again (%v)", err))
	}
	if err := unix.PtraceSetOptions(int(pid), traceOptions); err != nil {
		return fail(err)
	}
	t.command, t.groups[pid] = pid, pid
	if err := unix.Kill(int(pid), unix.SIGCONT); err != nil {
		return fail(err)
	}
	if err := unix.PtraceCont(int(pid), 0); err != nil {
		return fail(err)
	}
	return pid, nil
}

// detachStopped lets a traced process go, stopped as by SIGSTOP.
func detachStopped(pid int) error {
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(pid), 0, uintptr(unix.SIGSTOP), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// run serves stops and ends until no child is left, and returns the command's
// status.
func (t *tracer) run(ended chan<- endOf) (status int32, err error) {
	for {
		var ws unix.WaitStatus
		pid, r, err := waitAny(&ws)
		switch {
		case errors.Is(err, unix.ECHILD):
			return status, nil
		case err != nil:
			return status, fmt.Errorf("wait for children: %w", err)
		}
		if ws.Stopped() {
			if err := t.stopped(pid, ws); err != nil && !errors.Is(err, unix.ESRCH) { // killed meanwhile
				return status, fmt.Errorf("ptrace of process %d: %w", pid, err)
			}
			continue
		}
		t.ended(pid, int32(ws), r)
		if pid == t.command {
			status = int32(ws)
			ended <- endOf{status: status}
		}
	}
}

func waitAny(ws *unix.WaitStatus) (int32, *result.Rusage, error) {
	for {
		var ru unix.Rusage
		pid, err := unix.Wait4(-1, ws, unix.WALL, &ru)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return int32(pid), rusage(&ru), err
	}
}

// ended takes the end of a thread or process.
func (t *tracer) ended(tid, status int32, r *result.Rusage) {
	group, traced := t.groups[tid]
	delete(t.groups, tid)
	switch {
	case traced && group != tid: // a thread
	case t.ledger.ownChild(tid):
		w := &waited{pid: tid, status: status, rusage: r}
		w.stat = t.ledger.lastStat(tid)
		t.ledger.waitedFor(w)
	default:
		t.ledger.exit(tid, 0, status, t.ledger.now())
	}
}

// stopped serves one stop and lets the thread go on.
func (t *tracer) stopped(tid int32, ws unix.WaitStatus) error {
	event, sig := uint32(ws)>>16, ws.StopSignal()
	if _, known := t.groups[tid]; !known { // its event comes later
		t.groups[tid] = groupOf(tid)
	}
	switch event {
	case 0: // a signal on its way
		return unix.PtraceCont(int(tid), int(sig))
	case unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK, unix.PTRACE_EVENT_CLONE:
		msg, err := unix.PtraceGetEventMsg(int(tid))
		if err != nil {
			return err
		}
		t.forked(tid, int32(msg), event == unix.PTRACE_EVENT_CLONE)
	case unix.PTRACE_EVENT_EXEC:
		group := groupOf(tid)
		t.groups[tid] = group
		if comm, uid, _, err := procstat.ReadStatus(group); err == nil {
			t.ledger.named(group, comm, uid, 0, true)
		}
	case unix.PTRACE_EVENT_EXIT:
		t.leaving(tid)
	case unix.PTRACE_EVENT_STOP:
		switch sig {
		case unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU: // stays stopped until SIGCONT
			_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_LISTEN, uintptr(tid), 0, 0, 0, 0)
			if errno != 0 {
				return errno
			}
			return nil
		}
	}
	return unix.PtraceCont(int(tid), 0)
}

// forked takes a new process or thread.
func (t *tracer) forked(parent, child int32, clone bool) {
	group := child
	if clone { // of a thread or, as some libraries fork, of a process
		group = groupOf(child)
	}
	t.groups[child] = group
	if group == child {
		t.ledger.fork(t.groups[parent], child, t.ledger.now())
	}
}

// leaving reads what there is of a process whose thread is about to end.
func (t *tracer) leaving(tid int32) {
	group := t.groups[tid]
	f := new(final)
	if _, _, st, err := procstat.ReadStatus(tid); err == nil {
		f.peak = st.Peak.Value
	}
	if s, err := procstat.ReadStat(group); err == nil {
		f.stat = s
	}
	t.ledger.ptraced(group, f)
}

// groupOf returns the process that a thread belongs to.
func groupOf(tid int32) int32 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return tid
	}
	_, rest, ok := strings.Cut(string(b), "\nTgid:\t")
	var group int32
	if _, err := fmt.Sscan(rest, &group); !ok || err != nil {
		return tid
	}
	return group
}
