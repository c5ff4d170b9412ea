package compare

import (
	"slices"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// noteTurns warns of groups that ran on one host and did not take turns there.
// Every pair is looked at, host by host: of two groups that took turns with
// the baseline one may still have run before the other, and runs of several
// hosts, put in order of time, look like turns that no host has seen.
func (k *comparison) noteTurns() {
	apart := make([][]bool, len(k.Groups)) // pairs that did not take turns
	for g := range apart {
		apart[g] = make([]bool, len(k.Groups))
	}
	for _, samples := range k.order {
		for _, at := range k.byHost(samples) {
			for a := range at {
				if len(at[a]) < 2 { // most groups of many have run on other hosts
					continue
				}
				for b := range a {
					if !tookTurns(at[a], at[b]) {
						apart[a][b], apart[b][a] = true, true
					}
				}
			}
		}
	}
	for _, together := range components(apart, k.base) {
		n := result.Note{Code: result.NoteTurns}
		for _, g := range together {
			n.Groups = append(n.Groups, k.Groups[g].Name)
		}
		k.add(n)
	}
}

// byHost returns for each host, in order of appearance, the places in order of
// time of each group's samples.
func (k *comparison) byHost(samples []sample) [][][]int {
	var hosts [][][]int
	index := make(map[string]int)
	for i, s := range samples {
		name := k.in[s.run].Run.Host.Hostname
		h, ok := index[name]
		if !ok {
			h = len(hosts)
			index[name] = h
			hosts = append(hosts, make([][]int, len(k.Groups)))
		}
		hosts[h][s.group] = append(hosts[h][s.group], i)
	}
	return hosts
}

// tookTurns merges the places of two groups; of fewer than two samples each
// there is nothing to say.
func tookTurns(a, b []int) bool {
	if len(a) < 2 || len(b) < 2 {
		return true
	}
	var labels []bool
	for len(a)+len(b) > 0 {
		second := len(a) == 0 || len(b) > 0 && b[0] < a[0]
		labels = append(labels, second)
		if second {
			b = b[1:]
		} else {
			a = a[1:]
		}
	}
	return stats.Interleaved(labels)
}

// components returns the sets of two or more groups that are linked, directly
// or by others; the given one stands first, the rest in their order.
func components(linked [][]bool, first int) [][]int {
	var all [][]int
	seen := make([]bool, len(linked))
	for _, start := range append([]int{first}, order(len(linked))...) {
		if seen[start] {
			continue
		}
		seen[start] = true
		set := []int{start}
		for i := 0; i < len(set); i++ {
			for g, l := range linked[set[i]] {
				if l && !seen[g] {
					seen[g] = true
					set = append(set, g)
				}
			}
		}
		if len(set) > 1 {
			slices.Sort(set[1:])
			all = append(all, set)
		}
	}
	return all
}

// order returns 0 to n-1.
func order(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
