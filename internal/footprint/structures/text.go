package structures

const (
	shortText = 8
	longText  = 100
)

// text returns a string of n ASCII bytes, n at least 8, in memory of its own,
// that differs for each i.
func text(i, n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for j := range b {
		b[j] = '.'
	}
	for j := range 8 {
		b[j] = digits[i>>(28-4*j)&0xf]
	}
	return string(b)
}

// three is three words.
type three struct{ a, b, c int }

var textStructures = []Structure{
	{
		Name: "string-8", Group: "strings", Type: "[]string", Shape: "each of 8 bytes of its own",
		words: 3, bytes: 14,
		build: func(n int) any { return fill(n, func(i int) string { return text(i, shortText) }) },
	},
	{
		Name: "string-100", Group: "strings", Type: "[]string", Shape: "each of 100 bytes of its own",
		words: 3, bytes: 170,
		build: func(n int) any { return fill(n, func(i int) string { return text(i, longText) }) },
	},
	{
		Name: "any-int", Group: "interfaces", Type: "[]any", Shape: "each holds an int above 255",
		words: 4, bytes: 4,
		// The runtime keeps the first 256 numbers itself.
		build: func(n int) any { return fill(n, func(i int) any { return i + 256 }) },
	},
	{
		Name: "any-struct", Group: "interfaces", Type: "[]any", Shape: "each holds a struct of three ints",
		words: 6, bytes: 6,
		build: func(n int) any { return fill(n, func(i int) any { return three{i, i, i} }) },
	},
}
