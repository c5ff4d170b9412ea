package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"wordsize/internal/membench"
)

func terminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// progress is one line on a terminal that is written over and over.
type progress struct {
	w       io.Writer
	kernels int // with several, which one is said
}

func newProgress(w io.Writer) *progress { return &progress{w: w} }

// showLine puts ASCII text in place of the line that the cursor is on.
func showLine(w io.Writer, text string) { fmt.Fprintf(w, "\r\x1b[K%s", shorten(text, width(w))) }

// clearLine empties the line that the cursor is on.
func clearLine(w io.Writer) { io.WriteString(w, "\r\x1b[K") }

func (p *progress) clear() { clearLine(p.w) }

func (p *progress) show(pr membench.Progress) {
	if p.kernels < 2 {
		pr.Kernel = ""
	}
	showLine(p.w, progressText(pr))
}

// progressText says which phase, how many passes, and how long it may take.
func progressText(pr membench.Progress) string {
	s := "1 process"
	if pr.Processes > 1 {
		s = fmt.Sprintf("%d processes", pr.Processes)
	}
	if pr.Kernel != "" {
		s = pr.Kernel + ", " + s
	}
	if pr.Launches > 1 {
		most := ""
		if pr.AtMost {
			most = "at most "
		}
		s = fmt.Sprintf("launch %d of %s%d, %s", pr.Launch+1, most, pr.Launches, s)
	}
	s += ": " + string(pr.Stage)
	if pr.Stage != membench.StageTimed {
		return s
	}
	elapsed := max(0, pr.Elapsed)
	switch {
	case pr.Of > 0 && pr.Passes > 0:
		left := time.Duration(float64(elapsed) / float64(pr.Passes) * float64(pr.Of-pr.Passes))
		return fmt.Sprintf("%s, %d of %d, about %s left", s, pr.Passes, pr.Of, left.Round(time.Second))
	case pr.Of > 0:
		return fmt.Sprintf("%s, %d to make", s, pr.Of)
	default:
		return fmt.Sprintf("%s, %d so far, %.0f of %.4g s", s, pr.Passes, elapsed.Seconds(), pr.MinTime.Seconds())
	}
}

func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
			return cols
		}
	}
	return 80
}

// shorten cuts ASCII text to one column less than the terminal has, so that
// the cursor stays on its line.
func shorten(s string, cols int) string {
	if len(s) >= cols {
		return s[:max(0, cols-1)]
	}
	return s
}
