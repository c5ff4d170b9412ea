// Command go-btree is a B-tree of degree 32 from uint64 to a small struct.
package main

import (
	"math/rand/v2"
	"sort"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

const maxItems = 63

type item struct {
	key   uint64
	name  string
	count int32
}

type node struct {
	items    []item
	children []*node
}

func (n *node) split(i int) (item, *node) {
	mid := n.items[i]
	right := &node{items: append(make([]item, 0, maxItems), n.items[i+1:]...)}
	clear(n.items[i:])
	n.items = n.items[:i]
	if len(n.children) > 0 {
		right.children = append(make([]*node, 0, maxItems+1), n.children[i+1:]...)
		clear(n.children[i+1:])
		n.children = n.children[:i+1]
	}
	return mid, right
}

func (n *node) insert(it item) {
	i := sort.Search(len(n.items), func(i int) bool { return n.items[i].key >= it.key })
	if i < len(n.items) && n.items[i].key == it.key {
		n.items[i] = it
		return
	}
	if len(n.children) == 0 {
		n.items = append(n.items, item{})
		copy(n.items[i+1:], n.items[i:])
		n.items[i] = it
		return
	}
	if c := n.children[i]; len(c.items) >= maxItems {
		mid, right := c.split(maxItems / 2)
		n.items = append(n.items, item{})
		copy(n.items[i+1:], n.items[i:])
		n.items[i] = mid
		n.children = append(n.children, nil)
		copy(n.children[i+2:], n.children[i+1:])
		n.children[i+1] = right
		if it.key > mid.key {
			i++
		}
	}
	n.children[i].insert(it)
}

func main() {
	r := rand.New(rand.NewPCG(11, 12))
	names := []string{"open", "closed", "pending", "refused"}
	root := &node{}
	for i := range 800_000 {
		if len(root.items) >= maxItems {
			old := root
			mid, right := old.split(maxItems / 2)
			root = &node{items: []item{mid}, children: []*node{old, right}}
		}
		root.insert(item{r.Uint64(), names[i%len(names)], int32(i)})
	}
	stage.Settle()
	stage.Ready(root)
}
