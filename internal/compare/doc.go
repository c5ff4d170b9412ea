// Package compare sets groups of memtest runs against each other: records in,
// rows out, without touching a file. The unit of a sample is one launch.
package compare
