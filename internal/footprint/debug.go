package footprint

import (
	"fmt"
	"os"
	"sort"
)

func (s *scanner) dump() {
	if os.Getenv("FPDEBUG") == "" {
		return
	}
	type row struct {
		sh  *shape
		now float64
	}
	var rows []row
	for _, sh := range s.shapes.all {
		now, _, _ := s.per(sh)
		rows = append(rows, row{sh, now * float64(sh.total)})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].now > rows[j].now })
	for _, r := range rows[:min(len(rows), 25)] {
		now, then, _ := s.per(r.sh)
		fmt.Fprintf(os.Stderr, "%s size %d mask %x typ %x n %d now %.1f then %.1f/%.1f/%.1f total %.1fM ", allocatorNames[r.sh.key.alloc], r.sh.key.size, r.sh.key.mask, r.sh.key.typ, r.sh.total, now, then.low, then.mid, then.high, r.now/1e6)
		for i := range r.sh.slots[:min(12, len(r.sh.slots))] {
			c := r.sh.slots[i]
			fmt.Fprintf(os.Stderr, "[")
			for j, v := range c {
				if v*50 > uint32(r.sh.total) {
					fmt.Fprintf(os.Stderr, "%c%d ", "zplshtfrw"[j], v*100/uint32(r.sh.total))
				}
			}
			fmt.Fprintf(os.Stderr, "]")
		}
		fmt.Fprintln(os.Stderr)
	}
}
