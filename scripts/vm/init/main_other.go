//go:build !linux

// Command init is the first process of the virtual machine that
// scripts/vm/run.sh boots; it exists for Linux only.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "init: runs only as the first process of a Linux virtual machine")
	os.Exit(2)
}
