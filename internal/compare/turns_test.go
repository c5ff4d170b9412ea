package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

// inOrder makes a run for each letter of each host's schedule, which begins at
// the same time everywhere; the letter is the group.
func inOrder(schedules map[string]string) []Input {
	var in []Input
	for host, schedule := range schedules {
		for i, group := range schedule {
			run := fakeRun(host, "amd64", i, 1e9+float64(len(in)))
			// The clocks of two hosts never agree.
			run.Started = run.Started.Add(time.Duration(len(host)) * time.Second)
			in = append(in, Input{string(group), fmt.Sprintf("%s-%s%d.json", host, string(group), i), run})
		}
	}
	slices.SortStableFunc(in, func(a, b Input) int { return strings.Compare(a.Label, b.Label) })
	return in
}

func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		hosts map[string]string
		want  [][]string
	}{
		"in turns":             {map[string]string{"h": "ABCABCABCABCABCABC"}, nil},
		"one after the other":  {map[string]string{"h": "AAAAAABBBBBB"}, [][]string{{"A", "B"}}},
		"none with another":    {map[string]string{"h": "AAAAAABBBBBBCCCCCC"}, [][]string{{"A", "B", "C"}}},
		"two not the baseline": {map[string]string{"h": "ABABABABABABACACACACACAC"}, [][]string{{"B", "C"}}},
		// Put together by time these look like turns.
		"on no host":       {map[string]string{"h": "AAABBB", "hh": "BBBAAA"}, [][]string{{"A", "B"}}},
		"on one host":      {map[string]string{"h": "ABABAB", "hh": "AAABBB"}, [][]string{{"A", "B"}}},
		"hosts apart":      {map[string]string{"h": "AAAAAA", "hh": "BBBBBB"}, nil},
		"too few to judge": {map[string]string{"h": "AB", "hh": "AB"}, nil},
		"two pairs":        {map[string]string{"h": "AAAABBBB", "hh": "CCCCDDDD"}, [][]string{{"A", "B"}, {"C", "D"}}},
	} {
		var got [][]string
		for _, n := range mustCompare(t, inOrder(c.hosts), Options{By: Argument}).Notes {
			if n.Code == result.NoteTurns {
				got = append(got, n.Groups)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v did not take turns, want %v", name, got, c.want)
		}
	}
	c := mustCompare(t, inOrder(map[string]string{"h": "AAAAAABBBBBBCCCCCC"}), Options{By: Argument, Baseline: "B"})
	if n := notes(c, result.NoteTurns); len(n) != 1 || !strings.HasPrefix(n[0], "B, A, C did not all take turns: ") {
		t.Errorf("the baseline is not first in %q", n)
	}
}
