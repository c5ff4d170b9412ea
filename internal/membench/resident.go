package membench

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
)

// resident is what of a chunk is in memory, in bytes.
type resident struct{ present, huge int64 }

// parseSmaps sums what /proc/PID/smaps says of the mappings that overlap
// [from, to) for some segment (proc_pid_smaps(5)). The kernel may have merged
// a neighbour into such a mapping, so the sum can exceed the segments' size.
func parseSmaps(r io.Reader, overlaps func(from, to uint64) bool) (resident, error) {
	var sum resident
	in := false
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Bytes()
		if from, to, ok := smapsRange(line); ok {
			in = overlaps(from, to)
			continue
		}
		if !in {
			continue
		}
		key, rest, _ := bytes.Cut(line, []byte(":"))
		switch string(key) {
		case "Rss":
			sum.present += kibibytes(rest)
		case "AnonHugePages":
			sum.huge += kibibytes(rest)
		case "Private_Hugetlb", "Shared_Hugetlb": // not in Rss
			n := kibibytes(rest)
			sum.present += n
			sum.huge += n
		}
	}
	return sum, sc.Err()
}

// smapsRange reads the "start-end perms …" line that opens a mapping.
func smapsRange(line []byte) (from, to uint64, ok bool) {
	addrs, _, found := bytes.Cut(line, []byte(" "))
	lo, hi, dash := bytes.Cut(addrs, []byte("-"))
	if !found || !dash {
		return 0, 0, false
	}
	from, err1 := strconv.ParseUint(string(lo), 16, 64)
	to, err2 := strconv.ParseUint(string(hi), 16, 64)
	return from, to, err1 == nil && err2 == nil
}

// kibibytes reads " 123 kB" as bytes; 0 when it isn't that.
func kibibytes(b []byte) int64 {
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(f[0]), 10, 64)
	if err != nil || n < 0 || n > 1<<52 {
		return 0
	}
	return n << 10
}
