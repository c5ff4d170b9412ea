// Package procstat samples the memory and CPU time of processes.
//
// Data flows in one direction: a [Source] yields raw samples (processes of
// this host, or later a recording that is replayed), a [Tracker] gives them
// an identity and derives what needs two samples (CPU share, growth, exits),
// [Selection] picks, [GroupBy] sums. [Sampler] ties these together and reads
// the expensive second tier (title, PSS and so on) for chosen processes only.
// Everything derived lives behind the Source, so that a recording replayed
// gives the same numbers as the live run.
//
// On Linux the source reads /proc, see proc(5) and
// Documentation/filesystems/proc.rst in the kernel's sources. Elsewhere it
// uses gopsutil and knows fewer fields.
//
// A value that is not known is never zero: [Fields] say which values of a
// sample are known, and which were refused.
package procstat
