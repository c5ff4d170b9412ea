// Package hostinfo finds out what this machine is: word size and version of
// the kernel, processors, caches, NUMA nodes, memory and its zones, and the
// limits that apply to this process. It fills [result.Host].
//
// Nothing here fails because a file is missing: what cannot be read is absent
// from the record, never zero. No other program is started, and reading the
// whole record takes a few milliseconds.
//
// On Linux everything is read from /proc and /sys through [FS], so that a
// captured tree of any architecture can be read on any system. Elsewhere the
// portable part comes from gopsutil.
package hostinfo
