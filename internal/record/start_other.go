//go:build !linux

package record

import (
	"errors"
	"io/fs"
	"os"
)

// start starts the command and waits for it beside.
func (r *recorder) start(ended chan<- endOf) (pid int32, err error) {
	p, err := os.StartProcess(r.cfg.Path, r.cfg.Command, &os.ProcAttr{Env: r.cfg.Env, Files: []*os.File{os.Stdin, os.NewFile(1, "stdout"), os.Stderr}})
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return 0, startError(r.cfg.Path, err)
	}
	pid = int32(p.Pid)
	r.ledger.started(pid)
	go func() {
		state, err := p.Wait()
		if err != nil {
			ended <- endOf{all: true, err: err}
			return
		}
		w := &waited{pid: pid, status: waitStatus(state)}
		w.rusage = usageOf(state)
		w.stat = ownTimes(state)
		r.ledger.waitedFor(w)
		ended <- endOf{status: w.status}
		if r.cfg.WaitAll { // nobody tells when the last descendant ends
			r.waitForNone(ended, w.status)
			return
		}
		ended <- endOf{all: true, status: w.status}
	}()
	return pid, nil
}
