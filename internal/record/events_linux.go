package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// events listens to what the kernel tells of forks and ends.
type events struct {
	ledger *ledger
	conn   int // netlink sockets, -1 for none
	stats  int
	file   *os.File // of conn, when it is listened to
	zero   int64    // CLOCK_MONOTONIC at the start of the recording
	done   sync.WaitGroup

	mu  sync.Mutex // of reading
	buf []byte
}

// eventPace is how often the statistics of the whole host's processes are taken:
// the buffer holds some 4000.
const eventPace = 250 * time.Millisecond

// eventBuffer is how much of the kernel's memory may hold unread events.
const eventBuffer = 8 << 20

// openEvents opens what the method needs; auto takes the best there is, why
// says what was in the way of a better one. zero is the start of the recording on
// CLOCK_MONOTONIC, which events count their time on.
func openEvents(want string, l *ledger, zero int64) (ev *events, m result.ExitsMethod, err error) {
	ev = &events{ledger: l, conn: -1, stats: -1, buf: make([]byte, 64<<10), zero: zero}
	switch want {
	case result.ExitsWait, result.ExitsPtrace:
		l.events = want == result.ExitsPtrace
		return ev, result.ExitsMethod{Method: want, Complete: l.events}, nil
	}
	m = result.ExitsMethod{Method: result.ExitsWait}
	fail := func(err error) (*events, result.ExitsMethod, error) {
		ev.close()
		return nil, m, err
	}
	if ev.conn, err = openConnector(); err != nil {
		if want != exitsAuto {
			return fail(err)
		}
		m.Why = err.Error()
		return ev, m, nil
	}
	m = result.ExitsMethod{Method: result.ExitsConnector, Complete: true}
	l.events = true
	if want == result.ExitsConnector {
		return ev, m, nil
	}
	if ev.stats, err = openTaskstats(); err != nil {
		if want != exitsAuto {
			return fail(err)
		}
		m.Why = err.Error()
		return ev, m, nil
	}
	m.Method = result.ExitsTaskstats
	l.stats = true
	return ev, m, nil
}

func netlinkSocket(protocol, kind int, groups uint32) (int, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return -1, err
	}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, eventBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, eventBuffer) // as far as net.core.rmem_max goes
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// receive waits a moment for one message.
func receive(fd int, buf []byte) ([]byte, error) {
	const patience = 100 // milliseconds
	for {
		n, err := unix.Read(fd, buf)
		switch {
		case err == nil:
			return buf[:n], nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			return nil, err
		}
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patience)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if ready == 0 {
			return nil, errNoAnswer
		}
	}
}

var errNoAnswer = errors.New("the kernel does not answer, as in a PID namespace (a container)")

// openConnector subscribes to process events (Documentation/driver-api/connector.rst).
// Until Linux 6.5 that takes CAP_NET_ADMIN.
func openConnector() (int, error) {
	fd, err := netlinkSocket(unix.NETLINK_CONNECTOR, unix.SOCK_DGRAM, cnIndexProc)
	if err != nil {
		return -1, fmt.Errorf("process events: %w", err)
	}
	if err := filterConnector(fd); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("process events: filter: %w", err)
	}
	if _, err := unix.Write(fd, connectorRequest(cnListen)); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("process events: %w", err)
	}
	buf := make([]byte, 4096)
	for range 10000 { // events of others may come first
		b, err := receive(fd, buf)
		if err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("process events: %w", err)
		}
		if ev, ok := parseConnector(b); ok && ev.kind == eventAck {
			if ev.err == 0 {
				return fd, nil
			}
			unix.Close(fd)
			return -1, fmt.Errorf("process events: %w", unix.Errno(ev.err))
		}
	}
	unix.Close(fd)
	return -1, fmt.Errorf("process events: %w", errNoAnswer)
}

// connectorRequest builds a message to the process events connector.
func connectorRequest(op uint32) []byte {
	b := make([]byte, 16+20+4)
	e := binary.NativeEndian
	e.PutUint32(b, uint32(len(b)))
	e.PutUint16(b[4:], unix.NLMSG_DONE)
	e.PutUint32(b[16:], cnIndexProc)
	e.PutUint32(b[20:], cnValueProc)
	e.PutUint16(b[32:], 4) // length of what follows the struct cn_msg
	e.PutUint32(b[36:], op)
	return b
}

// filterConnector lets the kernel drop what is not of interest, which is most:
// threads and other kinds of event.
func filterConnector(fd int) error {
	var order [4]byte
	swap := func(v uint32) uint32 { // a filter loads numbers as big-endian
		binary.NativeEndian.PutUint32(order[:], v)
		return binary.BigEndian.Uint32(order[:])
	}
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(v uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: swap(v)}
	}
	toX := unix.SockFilter{Code: unix.BPF_MISC | unix.BPF_TAX}
	equalX := func(yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_X, Jt: yes, Jf: no}
	}
	program := []unix.SockFilter{
		load(cnKindAt),
		equal(eventFork, 3, 0),
		equal(eventExit, 6, 0),
		equal(eventExec, 9, 0),
		equal(eventAck, 8, 9),
		load(cnChildPID), toX, load(cnChildTGID), equalX(4, 5), // fork: pid and tgid of the child
		load(cnDataAt), toX, load(cnDataAt + 4), equalX(0, 1), // exit
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 16},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
}

// openTaskstats asks for the statistics of all tasks that end
// (Documentation/accounting/taskstats.rst), which takes CAP_NET_ADMIN.
func openTaskstats() (int, error) {
	fd, err := netlinkSocket(unix.NETLINK_GENERIC, unix.SOCK_RAW, 0)
	if err != nil {
		return -1, fmt.Errorf("taskstats: %w", err)
	}
	if err := registerTaskstats(fd); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("taskstats: %w", err)
	}
	return fd, nil
}

func registerTaskstats(fd int) error {
	buf := make([]byte, 8192)
	ask := func(b []byte) ([]byte, error) {
		if _, err := unix.Write(fd, b); err != nil {
			return nil, err
		}
		b, err := receive(fd, buf)
		if err != nil {
			return nil, err
		}
		if errno, ok := genlError(b); ok && errno != 0 {
			return nil, unix.Errno(errno)
		}
		return b, nil
	}
	b, err := ask(genlMessage(genlCtrl, nlmFRequest, 1, ctrlGetFamily, attrFamilyName, []byte("TASKSTATS\x00")))
	if err != nil {
		return err
	}
	if len(b) < nlHeader+genlHeader {
		return errShort
	}
	id := attribute(b[nlHeader+genlHeader:], attrFamilyID)
	if len(id) < 2 {
		return errShort
	}
	family := binary.NativeEndian.Uint16(id)
	// Our own statistics tell whether the layout is one that is known.
	self := binary.NativeEndian.AppendUint32(nil, uint32(unix.Getpid()))
	if b, err = ask(genlMessage(family, nlmFRequest, 2, taskstatsGet, unix.TASKSTATS_CMD_ATTR_PID, self)); err != nil {
		return err
	}
	if s, err := parseTaskstats(b); err != nil {
		return err
	} else if s.pid != int32(unix.Getpid()) {
		return fmt.Errorf("%w: it says that this is process %d", errTSVersion, s.pid)
	}
	_, err = ask(genlMessage(family, nlmFRequest|nlmFAcknow, 3, taskstatsGet, attrRegisterCPUMask, []byte(possibleCPUs()+"\x00")))
	return err
}

// possibleCPUs lists all CPUs that the host can ever have, as the kernel does.
func possibleCPUs() string {
	if b, err := os.ReadFile("/sys/devices/system/cpu/possible"); err == nil {
		return strings.TrimSpace(string(b))
	}
	return fmt.Sprintf("0-%d", runtime.NumCPU()-1)
}

// listen takes events as they come until close, where what processes are called
// has to be read while they live. With taskstats that is told, and a wake-up for
// every process of the host would cost more than all the rest.
func (ev *events) listen() error {
	if ev.conn < 0 || ev.stats >= 0 {
		return nil
	}
	ev.file = os.NewFile(uintptr(ev.conn), "netlink")
	raw, err := ev.file.SyscallConn()
	if err != nil {
		return err
	}
	ev.done.Add(1)
	go func() {
		defer ev.done.Done()
		_ = raw.Read(func(uintptr) bool { // ends when the file is closed
			ev.drain()
			return false // there may be more
		})
	}()
	return nil
}

// pace is how often events must be taken at least, lest the kernel drops them;
// 0 where they are taken as they come.
func (ev *events) pace() time.Duration {
	if ev.stats >= 0 {
		return eventPace
	}
	return 0
}

// drain takes the events that are there: first who belongs to whom, then what
// they used.
func (ev *events) drain() {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.each(ev.conn, ev.process)
	ev.each(ev.stats, func(b []byte) {
		if s, err := parseTaskstats(b); err == nil {
			ev.ledger.task(s)
		}
	})
}

// each calls take for every message that is there.
func (ev *events) each(fd int, take func([]byte)) {
	for fd >= 0 {
		n, err := unix.Read(fd, ev.buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOBUFS):
			ev.ledger.missed()
		case err != nil:
			return
		default:
			take(ev.buf[:n])
		}
	}
}

func (ev *events) process(b []byte) {
	e, ok := parseConnector(b)
	if !ok {
		return
	}
	switch e.kind {
	case eventFork:
		ev.ledger.fork(e.parent, e.tgid, time.Duration(e.at-ev.zero))
	case eventExit:
		ev.ledger.exit(e.tgid, e.parent, e.status, time.Duration(e.at-ev.zero))
	case eventExec:
		if ev.ledger.has(e.tgid) {
			if comm, uid, _, err := procstat.ReadStatus(e.tgid); err == nil { // its peak so soon would say nothing
				ev.ledger.named(e.tgid, comm, uid, 0, true)
			}
		}
	}
}

// peek reads name and peak of a process between two ticks.
func peek(l *ledger, pid int32) {
	if comm, uid, st, err := procstat.ReadStatus(pid); err == nil {
		l.named(pid, comm, uid, st.Peak.Value, false)
	}
}

// close ends listening; twice is once.
func (ev *events) close() {
	ev.mu.Lock()
	conn, stats, file := ev.conn, ev.stats, ev.file
	ev.conn, ev.stats, ev.file = -1, -1, nil
	ev.mu.Unlock()
	if conn >= 0 {
		_, _ = unix.Write(conn, connectorRequest(cnIgnore)) // kernels before 6.6 count listeners
	}
	switch {
	case file != nil:
		file.Close() // ends the listener, whose descriptor it is
		ev.done.Wait()
	case conn >= 0:
		unix.Close(conn)
	}
	if stats >= 0 {
		unix.Close(stats)
	}
}
