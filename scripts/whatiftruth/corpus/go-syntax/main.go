// Command go-syntax parses Go source and keeps the syntax trees: small nodes
// of many types, positions as int, interfaces, short slices.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func source(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package p%d\n\nimport \"fmt\"\n", n)
	for i := range 60 {
		fmt.Fprintf(&b, "\n// T%d is a type.\ntype T%d struct {\n\tName string `json:\"name\"`\n\tN, M int\n\tNext *T%d\n\tBy map[string][]*T%d\n}\n", i, i, i, i)
		fmt.Fprintf(&b, "\n// Sum adds up.\nfunc (t *T%d) Sum(xs ...int) (s int, err error) {\n\tfor i, x := range xs {\n\t\tif x < %d || i > len(t.Name) {\n\t\t\treturn 0, fmt.Errorf(\"%%d: %%w\", x, err)\n\t\t}\n\t\ts += x*t.N + (i-%d)/t.M\n\t}\n\treturn s, nil\n}\n", i, i*7, n)
	}
	return b.Bytes()
}

func main() {
	fset := token.NewFileSet()
	var files []*ast.File
	for n := range 150 {
		f, err := parser.ParseFile(fset, fmt.Sprintf("p%d.go", n), source(n), parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		files = append(files, f)
	}
	stage.Settle()
	stage.Ready(fset, files)
}
