//go:build !unix

package main

import (
	"os"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// endSignals end a run.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// suspendOnSignal has no signal to wait for.
func suspendOnSignal(func() *tea.Program) (filter func(tea.Model, tea.Msg) tea.Msg, stop func()) {
	return func(_ tea.Model, msg tea.Msg) tea.Msg { return msg }, func() {}
}
