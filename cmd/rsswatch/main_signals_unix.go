//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// endSignals end a run. SIGQUIT does, as the terminal would else be left in
// raw mode.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// suspendOnSignal makes a SIGTSTP from elsewhere suspend the screen as Ctrl-Z
// does. filter has to see the program's messages.
func suspendOnSignal(program func() *tea.Program) (filter func(tea.Model, tea.Msg) tea.Msg, stop func()) {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-stops:
				program().Send(tea.SuspendMsg{})
			case <-done:
				return
			}
		}
	}()
	filter = func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, ok := msg.(tea.SuspendMsg); !ok {
			return msg
		}
		// Bubble Tea would send SIGTSTP, which Go ignores once it was asked
		// to notify of it.
		p := program()
		if p.ReleaseTerminal() == nil {
			resumed := make(chan os.Signal, 1) // this thread may run on for a moment
			signal.Notify(resumed, syscall.SIGCONT)
			if syscall.Kill(0, syscall.SIGSTOP) == nil { // the whole job, as Ctrl-Z of the terminal does
				<-resumed
			}
			signal.Stop(resumed)
			_ = p.RestoreTerminal()
		}
		return tea.ResumeMsg{}
	}
	return filter, func() { signal.Stop(stops); close(done) }
}
