package footprint

import (
	"os"
	"testing"
)

// insteadOfTests is what the test binary does when it was started to be
// looked at.
var insteadOfTests func()

// A child of a test is the test binary itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ChildArg {
		os.Exit(ChildMain(os.Stdin, os.Stdout, os.Exit))
	}
	if insteadOfTests != nil {
		insteadOfTests()
		return
	}
	os.Exit(m.Run())
}
