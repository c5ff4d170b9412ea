// Package structures measures what the data structures that Go programs are
// made of take in memory, in this build of the program. They are measured, not
// computed: each one, at each size, is built in a process of its own, and what
// the kernel and the Go runtime counted before and after is compared.
//
// It is a package of its own beside the estimate for whole processes: each
// worker of memtest is memtest, and should not carry what it never uses.
package structures

import (
	"fmt"
	"slices"
	"strings"
)

// Structure is one way of holding elements in memory.
type Structure struct {
	Name  string // as on the command line
	Group string // names several at once
	Type  string // in Go
	Shape string // what it is filled with

	// words and bytes bound what one element takes while the structure is
	// built, garbage of its growth included: words of the build, and bytes.
	words, bytes int64
	// build returns a structure of n elements; what it returns keeps all of
	// it alive, and takes no memory of its own in an interface.
	build func(n int) any
}

// Structures returns all structures, in the order in which they are listed.
func Structures() []Structure {
	return slices.Concat(sliceStructures, textStructures, recordStructures, linkedStructures, mapStructures, chanStructures)
}

// wordBytes is the size of a pointer and of an int in this build.
const wordBytes = 4 << (^uintptr(0) >> 63)

// spareBytes is what a process takes beyond the structure it builds: the
// runtime, its stacks, the program itself.
const spareBytes = 24 << 20

// Need returns how many bytes a process may take that builds copies of the
// structure with so many elements each; an upper bound.
func (s Structure) Need(elements, copies int64) int64 {
	each := s.words*wordBytes + s.bytes
	return elements*copies*each + spareBytes
}

// measuredBytes is how much memory is measured at least, where one structure
// would be less: the kernel counts in pages, and the runtime's own memory
// moves by some of them.
const measuredBytes = 32 << 20

// copies returns how many structures of so many elements make a measurable
// amount of memory.
func (s Structure) copies(elements int64) int64 {
	each := s.Need(elements, 1) - spareBytes
	return max(1, (measuredBytes+each-1)/each)
}

// NameError says that there is no such structure.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q: no such structure; there are %s, and the groups %s", e.Name, strings.Join(names(), ", "), strings.Join(groups(), ", "))
}

func names() (all []string) {
	for _, s := range Structures() {
		all = append(all, s.Name)
	}
	return all
}

func groups() (all []string) {
	for _, s := range Structures() {
		if !slices.Contains(all, s.Group) {
			all = append(all, s.Group)
		}
	}
	return all
}

// Select returns the structures of the given names, which may be groups, in
// the order in which they are listed; all of them when none is given. The
// error is a *NameError.
func Select(wanted []string) ([]Structure, error) {
	all := Structures()
	if len(wanted) == 0 {
		return all, nil
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(all, func(s Structure) bool { return s.is(w) }) {
			return nil, &NameError{w}
		}
	}
	return slices.DeleteFunc(all, func(s Structure) bool {
		return !slices.ContainsFunc(wanted, s.is)
	}), nil
}

func (s Structure) is(name string) bool { return name == s.Name || name == s.Group }

func find(name string) (Structure, error) {
	for _, s := range Structures() {
		if s.Name == name {
			return s, nil
		}
	}
	return Structure{}, &NameError{name}
}
