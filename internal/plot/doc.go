// Package plot turns data into figures: bars with intervals, lines with
// markers and bands, stacked areas, step lines, vertical marks and rows of
// cells in time. A figure is laid out once and written as SVG or PNG.
//
// The SVG scales with its container, has a text alternative and is coloured by
// classes alone, so that one file works on light and dark screens and in
// print. No two series differ by colour only: hatches, dashes and markers go
// with it. Colours are Okabe and Ito's (jfly.uni-koeln.de/color), darkened or
// lightened where they would not stand out from the ground.
//
// It knows nothing of what is plotted, reads no clock and no file. Fonts are
// parsed at the first figure, not at start-up: every worker process of memtest
// holds this package too. (gonum.org/v1/plot, the field's library, makes a
// worker 3.8 MiB larger and the program 8.7 MB.)
package plot
