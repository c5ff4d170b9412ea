//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"
)

// A loop that does not exist would be measured as another one.
func TestParseLoops(t *testing.T) {
	if l, err := parseLoops("count,chase"); err != nil || !slices.Equal(l, []string{loopCount, loopChase}) {
		t.Errorf("%q, %v", l, err)
	}
	for _, bad := range []string{"", "chse", "count,", "count,Chase"} {
		if l, err := parseLoops(bad); err == nil || !strings.Contains(err.Error(), "--loops") {
			t.Errorf("%q: %q, %v", bad, l, err)
		}
	}
}
