package structures

// badOrder and goodOrder have the same fields. In the first, each small field
// is padded up to the alignment of the large one that follows: 8 bytes for an
// int64, but 4 on 386.
type badOrder struct {
	a bool
	b int64
	c bool
	d int64
	e bool
}

type goodOrder struct {
	b, d    int64
	a, c, e bool
}

// record is what a row of a business program looks like.
type record struct {
	name  string
	tags  []int32
	id    int
	price float64
	next  *record
}

var recordStructures = []Structure{
	{
		Name: "struct-bad", Group: "structs", Type: "[]struct{ bool; int64; bool; int64; bool }", Shape: "fields in a bad order",
		bytes: 42,
		build: func(n int) any {
			return fill(n, func(i int) badOrder { return badOrder{true, int64(i), true, int64(i), true} })
		},
	},
	{
		Name: "struct-good", Group: "structs", Type: "[]struct{ int64; int64; bool; bool; bool }", Shape: "the same fields in a good order",
		bytes: 26,
		build: func(n int) any {
			return fill(n, func(i int) goodOrder { return goodOrder{int64(i), int64(i), true, true, true} })
		},
	},
	{
		Name: "record", Group: "structs", Type: "[]*struct{ string; []int32; int; float64; *T }", Shape: "text of 20 bytes, 4 tags, a link to the one before",
		words: 6, bytes: 120,
		build: func(n int) any {
			var last *record
			return fill(n, func(i int) *record {
				last = &record{text(i, 20), []int32{1, 2, 3, int32(i)}, i, float64(i), last}
				return last
			})
		},
	},
}
