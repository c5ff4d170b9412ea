package hostinfo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// maxCPU is the highest CPU number that a list may name. Linux is built for
// at most 8192 CPUs today; the bound keeps "0-4000000000" from eating memory.
const maxCPU = 1<<16 - 1

// ParseCPUList reads a CPU list as the kernel and taskset write it, such as
// "0,2-5", and returns the CPU numbers in ascending order, each once. An
// empty list is no CPUs, which is what the kernel prints for "none".
func ParseCPUList(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	type span struct{ first, last int }
	var spans []span
	for part := range strings.SplitSeq(s, ",") {
		first, last, err := parseCPURange(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("CPU list %s: %w", clip(s), err)
		}
		spans = append(spans, span{first, last})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.first - b.first })
	var cpus []int
	next := 0 // lowest CPU that is not in the result yet
	for _, r := range spans {
		for c := max(r.first, next); c <= r.last; c++ {
			cpus = append(cpus, c)
		}
		next = max(next, r.last+1)
	}
	return cpus, nil
}

func parseCPURange(part string) (first, last int, err error) {
	a, b, isRange := strings.Cut(part, "-")
	if first, err = parseCPU(a); err != nil {
		return 0, 0, fmt.Errorf("%s is not a CPU number or a range like 2-5: %w", clip(part), err)
	}
	if !isRange {
		return first, first, nil
	}
	if last, err = parseCPU(b); err != nil {
		return 0, 0, fmt.Errorf("%s is not a range like 2-5: %w", clip(part), err)
	}
	if last < first {
		return 0, 0, fmt.Errorf("range %s runs backwards", clip(part))
	}
	return first, last, nil
}

func parseCPU(s string) (int, error) {
	if s == "" {
		return 0, fmt.Errorf("a number is missing")
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number from 0 to %d", clip(s), maxCPU)
	}
	if n > maxCPU {
		return 0, fmt.Errorf("%s is above the highest possible CPU, %d", clip(s), maxCPU)
	}
	return int(n), nil
}

// clip quotes text for an error message and keeps it short.
func clip(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strconv.Quote(s)
}

// FormatCPUList writes CPU numbers as the kernel does, "0,2-5". The order of
// the numbers does not matter, and each is written once.
func FormatCPUList(cpus []int) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(cpus)))
	var b strings.Builder
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(sorted[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(sorted[j]))
		}
		i = j + 1
	}
	return b.String()
}

// BuildBits returns the word size of this build, 32 or 64: the width of a
// pointer.
func BuildBits() int {
	return 8 * int(unsafe.Sizeof(uintptr(0)))
}
