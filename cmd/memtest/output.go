package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"wordsize/internal/result"
)

// outputFile is where -o puts what a command makes; without -o it is nil and
// does nothing.
type outputFile struct{ file *result.OutFile }

func newOutputFile(path string, overwrite bool) (*outputFile, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return nil, usagef("-o: want a file's name; --format json writes the record to standard output")
	}
	file, err := result.NewOutFile(path, overwrite)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, usagef("-o: %w: want another name, or --overwrite", err)
	case err != nil:
		return nil, usagef("-o: %w", err)
	}
	return &outputFile{file}, nil
}

// save writes the records of runs to their place: an array when there are
// several.
func (o *outputFile) save(runs []*result.Run) error {
	return o.write(func(w io.Writer) error { return result.WriteRuns(w, runs, len(runs) > 1) })
}

func (o *outputFile) write(content func(io.Writer) error) error {
	if o == nil {
		return nil
	}
	if err := o.file.Save(content); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// discard removes what save did not put into its place.
func (o *outputFile) discard() {
	if o != nil {
		o.file.Discard()
	}
}
