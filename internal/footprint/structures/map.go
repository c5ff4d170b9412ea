package structures

// grown inserts n elements, one by one, into a map made without a size, as
// most programs fill theirs.
func grown[K comparable, V any](n int, each func(i int) (K, V)) any {
	m := make(map[K]V)
	for i := range n {
		k, v := each(i)
		m[k] = v
	}
	return m
}

var mapStructures = []Structure{
	{
		Name: "map-int", Group: "maps", Type: "map[int]int", Shape: "grown one by one",
		words: 6, bytes: 16,
		build: func(n int) any { return grown(n, func(i int) (int, int) { return i, i }) },
	},
	{
		Name: "map-sized", Group: "maps", Type: "map[int]int", Shape: "made with its final size",
		words: 4, bytes: 10,
		build: func(n int) any {
			m := make(map[int]int, n)
			for i := range n {
				m[i] = i
			}
			return m
		},
	},
	{
		Name: "map-int64", Group: "maps", Type: "map[int64]int64", Shape: "grown one by one",
		bytes: 64,
		build: func(n int) any { return grown(n, func(i int) (int64, int64) { return int64(i), int64(i) }) },
	},
	{
		Name: "map-string", Group: "maps", Type: "map[string]string", Shape: "keys of 8, values of 20 bytes, grown one by one",
		words: 12, bytes: 70,
		build: func(n int) any {
			return grown(n, func(i int) (string, string) { return text(i, shortText), text(i, 20) })
		},
	},
	{
		Name: "map-ptr", Group: "maps", Type: "map[string]*struct{ a, b int64 }", Shape: "keys of 8 bytes, each value 16 bytes of its own, grown one by one",
		words: 10, bytes: 48,
		build: func(n int) any {
			return grown(n, func(i int) (string, *pair) { return text(i, shortText), &pair{int64(i), int64(i)} })
		},
	},
	{
		Name: "set-string", Group: "maps", Type: "map[string]struct{}", Shape: "keys of 8 bytes, grown one by one",
		words: 9, bytes: 24,
		build: func(n int) any {
			return grown(n, func(i int) (string, struct{}) { return text(i, shortText), struct{}{} })
		},
	},
}
