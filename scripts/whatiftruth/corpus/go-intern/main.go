// Command go-intern is a table of symbols: names once, numbers for them, and
// who refers to whom.
package main

import (
	"fmt"
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type symbol struct {
	name  string
	id    int
	kind  uint8
	refs  []int32
	owner *symbol
}

type table struct {
	ids     map[string]int
	symbols []*symbol
}

func (t *table) intern(name string) *symbol {
	id, ok := t.ids[name]
	if !ok {
		id = len(t.symbols)
		t.ids[name] = id
		t.symbols = append(t.symbols, &symbol{name: name, id: id})
	}
	return t.symbols[id]
}

func main() {
	r := rand.New(rand.NewPCG(35, 36))
	t := &table{ids: map[string]int{}}
	for range 600_000 {
		s := t.intern(fmt.Sprintf("pkg%d.Func%d", r.IntN(400), r.IntN(400)))
		s.kind = uint8(s.id % 7)
		s.refs = append(s.refs, int32(r.IntN(len(t.symbols))))
		if s.owner == nil && s.id > 0 {
			s.owner = t.symbols[r.IntN(s.id)]
		}
	}
	stage.Settle()
	stage.Ready(t)
}
