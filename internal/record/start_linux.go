package record

import (
	"wordsize/internal/result"
)

// start starts the command and waits for it beside.
func (r *recorder) start(ended chan<- endOf) (pid int32, err error) {
	if r.cfg.Exits == result.ExitsPtrace {
		return r.startTraced(ended)
	}
	if pid, err = launch(r.cfg.Path, r.cfg.Command, r.cfg.Env, nil); err != nil {
		return 0, err
	}
	r.ledger.started(pid)
	r.ledger.floor = selfPeak().Value // before anybody is waited for
	peek(r.ledger, pid)               // its name, for children that never get one of their own
	go func() {
		var status int32
		err := reap(func(w *waited) {
			r.events.drain() // it may have forked just before its end
			r.ledger.waitedFor(w)
			if w.pid == pid {
				status = w.status
				ended <- endOf{status: status}
			}
		})
		ended <- endOf{all: true, status: status, err: err}
	}()
	return pid, nil
}
