package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"wordsize/internal/membench"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// checkFormat refuses a --format that a command doesn't know.
func checkFormat(format string, known ...string) error {
	if slices.Contains(known, format) {
		return nil
	}
	last := len(known) - 1
	return &membench.ArgError{Name: "--format", Value: format, Want: strings.Join(known[:last], ", ") + " or " + known[last]}
}

// checkPlot refuses a --plot whose name doesn't say which format is wanted.
func checkPlot(path string) error {
	if path == "" || strings.HasSuffix(path, ".svg") || strings.HasSuffix(path, ".png") {
		return nil
	}
	return &membench.ArgError{Name: "--plot", Value: path, Want: "a file's name that ends in .svg or .png"}
}

// outputFile is where a flag puts what a command makes: a file, or standard
// output. Without the flag it is nil and does nothing.
type outputFile struct {
	flag   string
	file   *result.OutFile
	stdout io.Writer // instead of the file
}

// newRecordFile prepares the -o of a command that measures.
func newRecordFile(path string, overwrite bool) (*outputFile, error) {
	if path == "-" {
		return nil, usagef("-o: want a file's name; --format json writes the record to standard output")
	}
	return newOutputFile("-o", path, overwrite)
}

// newOutputFile prepares the file of a flag; nil for an empty path.
func newOutputFile(flag, path string, overwrite bool) (*outputFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := result.NewOutFile(path, overwrite)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, usagef("%s: %w: want another name, or --overwrite", flag, err)
	case err != nil:
		return nil, usagef("%s: %w", flag, err)
	}
	return &outputFile{flag: flag, file: file}, nil
}

// saveRuns writes the records of runs: an array when there are several.
func (o *outputFile) saveRuns(runs []*result.Run) error {
	return o.write(func(w io.Writer) error { return result.WriteRuns(w, runs, len(runs) > 1) })
}

// save writes one record.
func (o *outputFile) save(record any) error {
	return o.write(func(w io.Writer) error { return result.WriteJSON(w, record) })
}

// draw writes a figure in the format that the file's name asks for.
func (o *outputFile) draw(fig *plot.Figure) error {
	if o != nil && strings.HasSuffix(o.file.Path(), ".png") {
		return o.write(func(w io.Writer) error { return fig.WritePNG(w, figureScale) })
	}
	return o.write(func(w io.Writer) error { return fig.WriteSVG(w) })
}

// figureScale is how many pixels of a PNG a figure's own unit has.
const figureScale = 2

func (o *outputFile) write(content func(io.Writer) error) error {
	switch {
	case o == nil:
		return nil
	case o.stdout != nil:
		return content(o.stdout)
	}
	if err := o.file.Save(content); err != nil {
		return fmt.Errorf("%s: %w", o.flag, err)
	}
	return nil
}

// discard removes what write did not put into its place.
func (o *outputFile) discard() {
	if o != nil && o.file != nil {
		o.file.Discard()
	}
}
