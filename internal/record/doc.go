// Package record runs a command and records what it and its descendants, or
// other processes, use until they end: rsswatch record.
//
// One goroutine takes ticks from procstat's sampler and writes them. Others
// wait for the command and for orphans that it leaves (the recorder is their
// subreaper), and listen to what the kernel tells of processes too short-lived
// for a tick. What all of them learn meets in the ledger, which decides who
// belongs to the command and puts together what is known of each end.
//
// The parsers, the ledger and the making of records are pure and run anywhere;
// what asks the kernel is in files for Linux, with a plain substitute for other
// systems.
package record
