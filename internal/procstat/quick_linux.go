package procstat

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// These read single files of one process beside a source, for events that do
// not wait for the next tick. They share nothing and may be called at any time.

func readQuick(pid int32, file string) ([]byte, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/" + file)
}

// ReadStat reads the stat of a process, which may be a zombie.
func ReadStat(pid int32) (*Sample, error) {
	b, err := readQuick(pid, "stat")
	if err != nil {
		return nil, err
	}
	s := new(Sample)
	comm, err := parseStat(b, s)
	if err != nil {
		return nil, err
	}
	s.Comm = string(comm)
	return s, nil
}

// ReadMemory reads the sizes of a process.
func ReadMemory(pid int32) (*Sample, error) {
	b, err := readQuick(pid, "statm")
	if err != nil {
		return nil, err
	}
	s := &Sample{Ident: Ident{PID: pid}}
	return s, parseStatm(b, int64(os.Getpagesize()), s)
}

// ReadIO reads the I/O counters of a process, which may be a zombie.
func ReadIO(pid int32) (*IO, error) {
	b, err := readQuick(pid, "io")
	if err != nil {
		return nil, err
	}
	io := new(IO)
	return io, parseIO(b, io)
}

// ReadStatus reads name, effective user and memory of a process.
func ReadStatus(pid int32) (comm string, uid result.Bytes, st Status, err error) {
	b, err := readQuick(pid, "status")
	if err != nil {
		return "", uid, st, err
	}
	if err := parseStatus(b, &st); err != nil {
		return "", uid, st, err
	}
	for line := range bytes.Lines(b) {
		key, value, _ := bytes.Cut(line, []byte(":\t"))
		switch string(key) {
		case "Name": // with newlines escaped
			comm = strings.TrimSuffix(string(value), "\n")
		case "Uid": // real, effective, saved, file system
			f := bytes.Fields(value)
			if len(f) < 2 {
				return "", uid, st, fmt.Errorf("%w: status: Uid", ErrFormat)
			}
			if v, ok := parseUint(f[1]); ok {
				uid = result.Some(int64(v))
			}
		}
	}
	return comm, uid, st, nil
}
