package record

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// selfCPU is not known here.
func selfCPU() result.Bytes { return result.Bytes{} }

// waitStatus makes an exit code look like one of wait(2), which has 8 bits.
func waitStatus(s *os.ProcessState) int32 {
	if code := s.ExitCode(); code >= 0 && code <= 255 {
		return int32(code) << 8
	}
	return 1 << 8
}

// usageOf has nothing that getrusage(2) has.
func usageOf(*os.ProcessState) *result.Rusage { return nil }

// ownTimes returns the CPU time of the process alone.
func ownTimes(s *os.ProcessState) *procstat.Sample {
	return &procstat.Sample{Counters: procstat.Counters{User: s.UserTime(), System: s.SystemTime()}}
}

// mayExecute goes by the name, as the system does.
func mayExecute(file string, _ fs.FileInfo) error {
	if !slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, strings.ToLower(filepath.Ext(file))) {
		return errors.New("is not executable: want .exe, .com, .bat or .cmd")
	}
	return nil
}

// holdSignals takes Ctrl-C, which every process of the console gets.
func holdSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt)
	return signals
}

// passOn has nothing to send.
func passOn(signals <-chan os.Signal, _ int32) {
	for range signals {
	}
}
