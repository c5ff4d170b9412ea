// Package report turns records into what people and other programs read:
// tables, test-mem's lines, CSV, and the text of every warning. It starts and
// times nothing.
package report
