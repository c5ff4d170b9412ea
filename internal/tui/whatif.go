package tui

import (
	"slices"

	"wordsize/internal/report"
)

// wantsWhatIf reports whether estimates for the other word size are shown:
// then they are for groups too.
func wantsWhatIf(cols []*report.ProcessColumn) bool {
	return slices.ContainsFunc(cols, func(c *report.ProcessColumn) bool { return slices.Contains(report.WhatIfColumns, c.Name) })
}
