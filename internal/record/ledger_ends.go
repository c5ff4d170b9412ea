package record

import (
	"cmp"
	"slices"
	"time"

	"wordsize/internal/result"
)

// collect returns the ends that are complete, or as complete as they get, in
// the order in which they were learned of. last takes all.
func (l *ledger) collect(last bool) (exits []*result.RecordedExit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.lives { // gone without anybody telling
		if p.role != "" && p.end == nil && p.born < l.scanAt && p.tick != l.number {
			e := l.close(p)
			if p.leader != nil {
				e.at, e.told, e.status = p.leader.at, true, p.leader.status
			}
		}
	}
	slices.SortStableFunc(l.ended, func(a, b *life) int { return cmp.Compare(a.end.at, b.end.at) })
	kept := l.ended[:0]
	for _, p := range l.ended {
		if !last && !l.ready(p) {
			p.end.age++
			kept = append(kept, p)
			continue
		}
		if l.lives[p.pid] == p {
			delete(l.lives, p.pid)
		}
		exits = append(exits, l.record(p))
	}
	clear(l.ended[len(kept):])
	l.ended = kept
	return exits
}

// ready reports whether nothing more is to be expected of an end.
func (l *ledger) ready(p *life) bool {
	const patience = 2 // ticks
	e := p.end
	if e.age >= patience {
		return true
	}
	if p.ppid == l.self && e.wait == nil {
		return false
	}
	return e.stats || !l.stats
}

// record makes the record of an end.
func (l *ledger) record(p *life) *result.RecordedExit {
	x := exitRecord(p, l.floor)
	l.exits++
	if !p.ticked {
		l.unseen++
	}
	if p.role != result.RoleWatched && x.UserNS.Known && x.SystemNS.Known {
		l.toldCPU += time.Duration(x.UserNS.Value + x.SystemNS.Value)
	} else if p.role != result.RoleWatched { // what the last tick saw of it is in the file
		l.toldCPU += p.own.User + p.own.System
	}
	return x
}

// missed notes that the kernel dropped events.
func (l *ledger) missed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost++
}

// missedCPU returns the CPU time of waited-for descendants that no record of an
// end accounts for; ok is false when nobody was waited for.
func (l *ledger) missedCPU() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	total, known := l.waitedCPU, l.waitedCPU > 0
	for _, p := range l.lives {
		if p.role == result.RoleCommand || p.role == result.RoleChild {
			total += p.children
			known = true
		}
	}
	return max(0, total-l.toldCPU), known
}
