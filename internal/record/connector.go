package record

import "encoding/binary"

// Kinds of process events (include/uapi/linux/cn_proc.h).
const (
	eventAck  = 0 // the answer to our own request
	eventFork = 1
	eventExec = 2
	eventExit = 1 << 31
)

// Of requests (include/uapi/linux/connector.h).
const (
	cnIndexProc, cnValueProc = 1, 1
	cnListen, cnIgnore       = 1, 2
)

// procEvent is one message of the process events connector.
type procEvent struct {
	kind      uint32
	pid, tgid int32 // of fork: the child's
	parent    int32 // process id of the parent; of exit 0 where the kernel does not say
	status    int32 // of exit: as wait(2) has it
	err       int32 // of ack: errno
	at        int64 // ns on CLOCK_MONOTONIC
}

// Offsets in a message: netlink header, struct cn_msg, struct proc_event.
const (
	cnKindAt    = 16 + 20
	cnTimeAt    = cnKindAt + 8 // after kind and CPU
	cnDataAt    = cnTimeAt + 8
	cnForkSize  = cnDataAt + 16
	cnExitPpid  = cnDataAt + 20
	cnExecSize  = cnDataAt + 8
	cnExitSize  = cnDataAt + 16
	cnChildPID  = cnDataAt + 8
	cnChildTGID = cnDataAt + 12
)

// parseConnector reads one datagram of the process events connector, all of
// whose numbers are in the host's byte order. ok is false for other kinds of
// event and for what is too short.
func parseConnector(b []byte) (ev procEvent, ok bool) {
	if len(b) < cnDataAt+4 {
		return ev, false
	}
	at := func(off int) int32 { return int32(binary.NativeEndian.Uint32(b[off:])) }
	ev.kind = uint32(at(cnKindAt))
	ev.at = int64(binary.NativeEndian.Uint64(b[cnTimeAt:]))
	switch ev.kind {
	case eventAck:
		ev.err = at(cnDataAt)
		return ev, true
	case eventFork:
		if len(b) < cnForkSize {
			return ev, false
		}
		ev.parent, ev.pid, ev.tgid = at(cnDataAt+4), at(cnChildPID), at(cnChildTGID)
		return ev, true
	case eventExec:
		if len(b) < cnExecSize {
			return ev, false
		}
		ev.pid, ev.tgid = at(cnDataAt), at(cnDataAt+4)
		return ev, true
	case eventExit:
		if len(b) < cnExitSize {
			return ev, false
		}
		ev.pid, ev.tgid, ev.status = at(cnDataAt), at(cnDataAt+4), at(cnDataAt+8)
		if len(b) >= cnExitPpid+4 { // since Linux 4.18
			ev.parent = at(cnExitPpid)
		}
		return ev, true
	}
	return ev, false
}
