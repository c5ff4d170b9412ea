package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// taskStats is what the kernel tells of one thread at its end
// (Documentation/accounting/taskstats-struct.rst).
type taskStats struct {
	pid, tgid  int32
	ppid       int32
	uid        uint32
	comm       string
	last       bool  // the last thread of its process
	status     int32 // of the thread group's leader: as wait(2) has it
	elapsed    time.Duration
	user, sys  time.Duration // of this thread, counted in ticks of the kernel's clock
	run        time.Duration // the sum of both, exact
	minor      uint64
	major      uint64
	peak       int64 // bytes: the highest RES of the program, all threads
	rchar      int64 // bytes, of this thread, cut to KiB
	wchar      int64
	readBytes  int64
	writeBytes int64
}

// Offsets in struct taskstats (include/uapi/linux/taskstats.h), whose 64-bit
// fields are aligned to 8 bytes on every architecture. Version 12 brought the
// process id and the mark of its last thread (Linux 5.19). Version 15 (6.15) put
// new fields between the old ones, which 16 took back.
const (
	tsStatus, tsFlag        = 4, 8
	tsRun                   = 72
	tsComm, tsCommLen       = 80, 32
	tsUID, tsPID, tsPPID    = 120, 128, 132
	tsElapsed, tsUser       = 144, 152
	tsSystem, tsMinor       = 160, 168
	tsMajor, tsPeak         = 176, 200
	tsRchar, tsWchar        = 216, 224
	tsRead, tsWrite         = 248, 256
	tsTGID, tsGroupElapsed  = 368, 376
	tsSize                  = 384
	tsOldest, tsBroken      = 12, 15
	tsGroupFlag             = 0x20 // AGROUP of include/uapi/linux/acct.h
	nlHeader, genlHeader    = 16, 4
	attrAggrPID, attrStats  = 4, 3
	attrFamilyID            = 1
	nlmsgError              = 2
	genlCtrl                = 0x10
	ctrlGetFamily           = 3
	attrFamilyName          = 2
	taskstatsGet            = 1
	attrRegisterCPUMask     = 3
	nlmFRequest, nlmFAcknow = 1, 4
)

var (
	errShort     = errors.New("message too short")
	errTSVersion = errors.New("unknown layout")
)

// attribute returns the content of the first netlink attribute of a kind
// (netlink(7)): length and kind, 2 bytes each, then the content, padded to 4.
func attribute(b []byte, kind uint16) []byte {
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			return nil
		}
		if binary.NativeEndian.Uint16(b[2:])&0x3fff == kind {
			return b[4:size]
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return nil
}

// parseTaskstats reads one datagram of the taskstats family.
func parseTaskstats(b []byte) (*taskStats, error) {
	if len(b) < nlHeader+genlHeader {
		return nil, errShort
	}
	raw := attribute(attribute(b[nlHeader+genlHeader:], attrAggrPID), attrStats)
	if raw == nil {
		return nil, errShort
	}
	return parseTaskstatsStruct(raw)
}

func parseTaskstatsStruct(b []byte) (*taskStats, error) {
	if len(b) < 2 {
		return nil, errShort
	}
	if v := binary.NativeEndian.Uint16(b); v < tsOldest || v == tsBroken {
		return nil, fmt.Errorf("%w: taskstats version %d", errTSVersion, v)
	}
	if len(b) < tsSize {
		return nil, errShort
	}
	u32 := func(off int) uint32 { return binary.NativeEndian.Uint32(b[off:]) }
	u64 := func(off int) uint64 { return binary.NativeEndian.Uint64(b[off:]) }
	micro := func(off int) time.Duration { return time.Duration(u64(off)) * time.Microsecond }
	comm, _, _ := bytes.Cut(b[tsComm:tsComm+tsCommLen], []byte{0})
	s := &taskStats{
		pid: int32(u32(tsPID)), tgid: int32(u32(tsTGID)), ppid: int32(u32(tsPPID)), uid: u32(tsUID),
		comm: string(comm), last: b[tsFlag]&tsGroupFlag != 0, status: int32(u32(tsStatus)),
		elapsed: micro(tsElapsed), user: micro(tsUser), sys: micro(tsSystem), run: time.Duration(u64(tsRun)), minor: u64(tsMinor), major: u64(tsMajor),
		peak: int64(u64(tsPeak)) * 1024, rchar: int64(u64(tsRchar)), wchar: int64(u64(tsWchar)),
		readBytes: int64(u64(tsRead)), writeBytes: int64(u64(tsWrite)),
	}
	if s.last {
		s.elapsed = micro(tsGroupElapsed)
	}
	return s, nil
}

// cpu returns user and system time: the exact sum, shared out as the kernel does
// for times(2) (cputime_adjust of kernel/sched/cputime.c), since the two are
// estimates by what was running at a tick, and often 0 for short processes.
func (s *taskStats) cpu() (user, sys time.Duration) {
	if s.run <= 0 {
		return s.user, s.sys
	}
	if s.sys == 0 {
		return s.run, 0
	}
	sys = time.Duration(float64(s.run) * (float64(s.sys) / float64(s.user+s.sys)))
	return s.run - sys, sys
}

// genlMessage builds a generic netlink request with one attribute.
func genlMessage(family uint16, flags uint16, seq uint32, cmd byte, attr uint16, value []byte) []byte {
	b := make([]byte, nlHeader+genlHeader, nlHeader+genlHeader+4+len(value)+3)
	b[nlHeader], b[nlHeader+1] = cmd, 1
	b = binary.NativeEndian.AppendUint16(b, uint16(4+len(value)))
	b = binary.NativeEndian.AppendUint16(b, attr)
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], family)
	binary.NativeEndian.PutUint16(b[6:], flags)
	binary.NativeEndian.PutUint32(b[8:], seq)
	return b
}

// genlError returns the errno of an answer of type error, 0 for none; ok is
// false when the message is no such answer.
func genlError(b []byte) (errno int32, ok bool) {
	if len(b) < nlHeader+4 || binary.NativeEndian.Uint16(b[4:]) != nlmsgError {
		return 0, false
	}
	return -int32(binary.NativeEndian.Uint32(b[nlHeader:])), true
}
