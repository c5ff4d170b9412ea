package compare

import "wordsize/internal/result"

// numaKey is where the memory was asked to lie, "default" for wherever the
// kernel put it.
const numaKey = "args.numa"

// alignNUMA says whether rows must be told apart by their runs' --numa: when a
// group has several. Where each group has one, local.json and remote.json say,
// their figures stand beside each other, and a note says in what they differ.
func (k *comparison) alignNUMA() bool {
	if k.By == numaKey {
		return false
	}
	first := make(map[int]string)
	for i := range k.in {
		of, ok := first[k.groupOf[i]]
		if ok && of != k.in[i].Run.Args.NUMA {
			return true
		}
		first[k.groupOf[i]] = k.in[i].Run.Args.NUMA
	}
	return false
}

// numaOf returns what a row's key has of a run's --numa.
func numaOf(run *result.Run, aligned bool) string {
	if !aligned {
		return ""
	}
	return run.Args.NUMA
}
