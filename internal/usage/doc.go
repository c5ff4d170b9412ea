// Package usage sums up recordings of rsswatch record: what groups of
// processes took of memory, CPU time and I/O, how they grew, and how far the
// figures can be trusted. It reads a recording tick by tick; what it keeps is
// bounded by the number of processes alive at once, not by ticks.
//
// It also sets recordings against each other, by the statistics that memtest
// compare uses (package stats).
package usage
