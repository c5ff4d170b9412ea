// Command go-radix is a radix tree over paths, as routers and routing tables
// keep them.
package main

import (
	"fmt"
	"sort"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type leaf struct {
	key   string
	value any
}

type edge struct {
	label byte
	node  *node
}

type node struct {
	leaf   *leaf
	prefix string
	edges  []edge
}

func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func (n *node) find(label byte) int {
	return sort.Search(len(n.edges), func(i int) bool { return n.edges[i].label >= label })
}

func (n *node) add(e edge) {
	i := n.find(e.label)
	n.edges = append(n.edges, edge{})
	copy(n.edges[i+1:], n.edges[i:])
	n.edges[i] = e
}

func (n *node) insert(key string, value any) {
	rest := key
	for {
		if rest == "" {
			n.leaf = &leaf{key, value}
			return
		}
		i := n.find(rest[0])
		if i == len(n.edges) || n.edges[i].label != rest[0] {
			n.add(edge{rest[0], &node{leaf: &leaf{key, value}, prefix: rest}})
			return
		}
		child := n.edges[i].node
		k := common(rest, child.prefix)
		if k < len(child.prefix) {
			split := &node{prefix: rest[:k]}
			n.edges[i].node = split
			split.add(edge{child.prefix[k], child})
			child.prefix = child.prefix[k:]
			child = split
		}
		n, rest = child, rest[k:]
	}
}

func main() {
	root := &node{}
	verbs := []string{"list", "show", "edit", "history", "export"}
	for i := range 40_000 {
		for _, v := range verbs {
			root.insert(fmt.Sprintf("/api/v%d/tenants/%d/objects/%x/%s", i%3, i%211, int64(i)*2654435761%(1<<31), v), i)
		}
	}
	stage.Settle()
	stage.Ready(root)
}
