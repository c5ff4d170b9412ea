// Package report turns records into what people and other programs read:
// tables, plots of characters, test-mem's lines, Markdown, CSV, the Go benchmark
// format, figures, HTML pages, and the text of every warning. It starts and times
// nothing.
package report
