//go:build unix

package record

import (
	"os"
	"os/signal"
	"syscall"
)

// passed are the signals that are sent on to the command. SIGTSTP and SIGCONT
// do to the recorder what they do to every process; SIGWINCH, SIGTTIN and
// SIGTTOU go to all processes of a terminal's group anyway.
var passed = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM,
}

// holdSignals takes the signals that are to be passed on. One that was ignored
// when the recorder was started, as by nohup(1), is ignored by the command too.
func holdSignals() <-chan os.Signal {
	var list []os.Signal
	for _, s := range append(passed, realTime()...) {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, list...)
	// A message that nobody reads, or a recording that may not grow, must not end
	// the recorder.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	return signals
}

// passOn sends signals on to the command.
func passOn(signals <-chan os.Signal, pid int32) {
	for s := range signals {
		if n, ok := s.(syscall.Signal); ok && !fromTerminal(n, int(pid)) {
			_ = syscall.Kill(int(pid), n) // it may have ended just now, then so does the recording
		}
	}
}

// fromTerminal reports whether the command got a signal as we did: the keys
// send SIGINT and SIGQUIT to the terminal's whole foreground group.
func fromTerminal(s syscall.Signal, pid int) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	foreground, err := foregroundGroup(int(tty.Fd()))
	if err != nil || foreground != syscall.Getpgrp() {
		return false
	}
	group, err := syscall.Getpgid(pid)
	return err == nil && group == foreground
}
