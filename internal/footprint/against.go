package footprint

import (
	"fmt"
	"path"
	"strings"

	"wordsize/internal/result"
)

// against lists what speaks against a 32-bit build of the process.
func (a *analysis) against() {
	if a.scan.to.word >= a.scan.from.word || a.scan.to.name != "ilp32" {
		return
	}
	note := func(code, format string, args ...any) {
		a.rec.Against = append(a.rec.Against, result.WhatIfNote{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if f := a.rec.Fits; f != nil && f.In4GiB != "yes" {
		note("address-space", "its address space at the peak is %s a 32-bit process's", map[string]string{"no": "larger than", "tight": "nearly all of"}[f.In4GiB])
	}
	var largest, files uint64
	runtimes := map[string]bool{}
	for i := range a.maps {
		m := &a.maps[i]
		if m.rss > largest {
			largest = m.rss
		}
		if m.file() && !m.exec() {
			files += m.size()
		}
		base := path.Base(m.name)
		switch {
		case base == "libjvm.so":
			runtimes["java"] = true
		case base == "node" && m.exec(), strings.HasPrefix(base, "libnode.so"):
			runtimes["node"] = true
		}
	}
	if largest > 1<<30 {
		note("large-mapping", "one mapping holds %d MiB: a 32-bit process may not find that much in one piece", largest>>20)
	}
	if files > 1<<30 {
		note("mapped-files", "it maps %d MiB of files, for which a 32-bit address space has little room", files>>20)
	}
	switch {
	case runtimes["java"]:
		note("java", "JDK 25 has no 32-bit x86 port any more (JEP 503), and heaps below 32 GB have references of 32 bits already")
	case runtimes["node"]:
		note("node", "there are no 32-bit x86 Linux builds of Node.js since version 10")
	case a.golang:
		note("go", "in a 32-bit Go build int has 32 bits: slices are limited to 2^31-1 elements, counters may overflow")
	case a.scan.py != nil:
		note("python", "few packages with C extensions offer wheels for 32-bit Linux: they are built from source")
	default:
		note("c", "long, size_t and, unless built with _TIME_BITS=64, time_t have 32 bits: files and counters above 2 GiB need care")
	}
}
