package membench

import (
	"fmt"
	"strings"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// AllKernels is the --kernel that stands for every kernel that can run here,
// each in its best tier.
const AllKernels = "all"

// ParseKernels reads --kernel: NAME or NAME/TIER, several with commas, or
// "all". It returns the specifications one by one, with their variants. The
// error is a *kernel.SelectError or an *ArgError.
func ParseKernels(s string) ([]string, []kernel.Variant, error) {
	if s == AllKernels {
		var names []string
		var all []kernel.Variant
		for _, k := range kernel.Table() {
			if t, ok := k.Best(); ok {
				names, all = append(names, k.Name), append(all, kernel.Variant{Kernel: k, Tier: t})
			}
		}
		return names, all, nil
	}
	specs := strings.Split(s, ",")
	all := make([]kernel.Variant, len(specs))
	seen := make(map[string]bool)
	for i, spec := range specs {
		v, err := kernel.Select(spec)
		if err != nil {
			return nil, nil, err
		}
		if seen[v.String()] {
			return nil, nil, &ArgError{"--kernel", s, fmt.Sprintf("each loop once; %s is there twice", v)}
		}
		seen[v.String()], all[i] = true, v
	}
	return specs, all, nil
}

// ParseParallel reads --parallel and says whether threads are wanted.
func ParseParallel(s string) (threads bool, err error) {
	switch s {
	case result.ParallelProcesses:
		return false, nil
	case result.ParallelThreads:
		return true, nil
	}
	return false, &ArgError{"--parallel", s, result.ParallelProcesses + " or " + result.ParallelThreads}
}

func (c *Config) parallel() string {
	if c.Threads {
		return result.ParallelThreads
	}
	return result.ParallelProcesses
}
