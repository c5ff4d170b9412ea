package structures

import (
	"os"
	"testing"
)

// A child of a test is the test binary itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ChildArg {
		os.Exit(ChildMain(os.Stdin, os.Stdout, os.Exit))
	}
	os.Exit(m.Run())
}
