package report

import (
	"fmt"
	"io"

	"wordsize/internal/result"
)

// intBytes is the size of the ints that test-mem wrote.
const intBytes = 4

// Classic writes a phase as test-mem did, to the letter: a heading, then a
// line a process. The rate is millions of 4-byte ints written a second; that
// it says "read" is the original's wording. A phase that isn't the first is
// set off by an empty line.
func Classic(w io.Writer, p *result.Phase, first bool) error {
	heading := "For single process:"
	if p.Name != result.PhaseSingle {
		heading = fmt.Sprintf("For %d processes:", p.Processes)
	}
	if !first {
		heading = "\n" + heading
	}
	if _, err := fmt.Fprintln(w, heading); err != nil {
		return err
	}
	for i := range p.Workers {
		if _, err := fmt.Fprintln(w, classicLine(&p.Workers[i])); err != nil {
			return err
		}
	}
	return nil
}

func classicLine(w *result.Worker) string {
	const million = 1e6
	return fmt.Sprintf("In %.3fms done %d tests. It means %7.3f mln (read int)/sec",
		float64(w.EndNS-w.StartNS)/1e6, w.Passes, w.Rate()/intBytes/million)
}
