package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wordsize/internal/report"
	"wordsize/internal/result"
	"wordsize/internal/tui"
)

// Save writes a frame to a new file. It never writes over an old one.
func (b *liveBackend) Save(name string, f *tui.Frame, r *tui.Request) (err error) {
	write := saveCSV
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
	case ".json":
		write = saveJSON
	default:
		return fmt.Errorf("%s: name a file that ends in .csv or .json", name)
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already", name)
	}
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err != nil {
			os.Remove(name) // half a snapshot is worse than none
		}
	}()
	return write(out, f, r)
}

func saveCSV(w io.Writer, f *tui.Frame, r *tui.Request) error {
	if r.Group != "" {
		cols, err := report.ParseColumns(report.GroupColumns, strings.Join(report.ColumnNames(report.GroupColumns), ","))
		if err != nil {
			return err
		}
		c := report.WatchCSV[result.Group]{Columns: cols, Context: f.Context}
		return c.Write(w, f.Tick, f.Tick.Groups)
	}
	c := report.WatchCSV[result.Process]{Columns: csvColumns(r.Columns, r.Threads), Context: f.Context}
	return c.Write(w, f.Tick, f.Tick.Processes)
}

func saveJSON(w io.Writer, f *tui.Frame, _ *tui.Request) error {
	var doc report.WatchJSON
	if err := doc.Begin(w, f.Host); err != nil {
		return err
	}
	if err := doc.Tick(w, f.Tick); err != nil {
		return err
	}
	return doc.End(w)
}
