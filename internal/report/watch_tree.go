package report

import "wordsize/internal/result"

// TreeOrder puts each row below its parent, keeps the order among siblings
// and sets the depths. Rows whose parent is not among them are roots; rows of
// threads stay below their process.
func TreeOrder(rows []*result.Process) []*result.Process {
	children := map[int32][]*result.Process{}
	here := make(map[int32]bool, len(rows))
	for _, r := range rows {
		here[r.PID] = true
	}
	var roots []*result.Process
	for _, r := range rows {
		parent := int32(r.PPID.Value)
		switch {
		case r.TID != 0:
			children[r.PID] = append(children[r.PID], r)
		case r.PPID.Known && parent != r.PID && here[parent]:
			children[parent] = append(children[parent], r)
		default:
			roots = append(roots, r)
		}
	}
	out := make([]*result.Process, 0, len(rows))
	var walk func(rs []*result.Process, depth int)
	walk = func(rs []*result.Process, depth int) {
		for _, r := range rs {
			r.Depth = depth
			out = append(out, r)
			if r.TID == 0 {
				below := children[r.PID]
				delete(children, r.PID) // a circle of reused PIDs must end
				walk(below, depth+1)
			}
		}
	}
	walk(roots, 0)
	for _, r := range rows { // what hangs in a circle has no root
		if below, ok := children[r.PID]; ok {
			delete(children, r.PID)
			walk(below, 0)
		}
	}
	return out
}
