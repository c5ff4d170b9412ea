//go:build !linux

package main

import (
	"fmt"
	"io"
)

func run(_ []string, _ io.Reader, _, stderr io.Writer) int {
	fmt.Fprintln(stderr, "whatif-truth: needs Linux")
	return exitFailure
}
