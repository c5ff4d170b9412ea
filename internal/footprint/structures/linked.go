package structures

import "container/list"

// listNode is the least that a list can be made of.
type listNode struct {
	next  *listNode
	value int
}

type treeNode struct {
	left, right *treeNode
	key, value  int
}

// tree returns a balanced tree of the keys [from, to).
func tree(from, to int) *treeNode {
	if from >= to {
		return nil
	}
	mid := from + (to-from)/2
	return &treeNode{left: tree(from, mid), right: tree(mid+1, to), key: mid, value: mid}
}

var linkedStructures = []Structure{
	{
		Name: "list", Group: "lists", Type: "struct{ next *T; value int }", Shape: "a singly linked list of own nodes",
		words: 3, bytes: 2,
		build: func(n int) any {
			var first *listNode
			for i := range n {
				first = &listNode{first, i}
			}
			return first
		},
	},
	{
		Name: "list-std", Group: "lists", Type: "container/list", Shape: "each element holds an int above 255",
		words: 8, bytes: 8,
		build: func(n int) any {
			l := list.New()
			for i := range n {
				l.PushBack(i + 256)
			}
			return l
		},
	},
	{
		Name: "tree", Group: "trees", Type: "struct{ left, right *T; key, value int }", Shape: "a balanced binary tree",
		words: 5, bytes: 4,
		build: func(n int) any { return tree(0, n) },
	},
}
