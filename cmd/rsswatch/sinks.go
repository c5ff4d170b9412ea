package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// sink returns what writes the chosen format.
func (c *collector) sink(v *batchView, width int, terminal bool) batchSink {
	ctx := c.context()
	ctx.Text.ASCII = terminal && !utf8Locale(os.Getenv)
	switch c.opt.format {
	case "csv":
		return &csvSink{
			rows:   report.WatchCSV[result.Process]{Columns: csvColumns(v.columns, c.opt.threads), Context: ctx},
			groups: report.WatchCSV[result.Group]{Columns: v.groups, Context: ctx},
		}
	case "json":
		return &jsonSink{c: c}
	case "jsonl":
		return &linesSink{c: c}
	}
	return &tableSink{
		c: c, width: width, pss: c.wantsPSS(&v.view),
		rows:   report.WatchTable[result.Process]{Columns: v.columns, Context: ctx, Width: width, Sort: v.sort},
		groups: report.WatchTable[result.Group]{Columns: v.groups, Context: ctx, Width: width, Sort: v.groupSort},
	}
}

// utf8Locale reports whether the environment's locale is UTF-8 (locale(7)).
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

type tableSink struct {
	c      *collector
	width  int
	pss    bool
	rows   report.WatchTable[result.Process]
	groups report.WatchTable[result.Group]
	ticks  int
}

func (s *tableSink) tick(w io.Writer, t *result.WatchTick) error {
	if s.ticks++; s.ticks > 1 {
		fmt.Fprintln(w)
	}
	for _, line := range report.WatchHeaderLines(&s.c.host, &s.c.mem, t, s.pss) {
		fmt.Fprintln(w, report.JoinSegments(line, s.width))
	}
	if s.pss {
		for _, note := range report.WatchNotes(t) {
			fmt.Fprintln(w, note)
		}
	}
	if t.Total != nil {
		return s.groups.Write(w, append(t.Groups, t.Total))
	}
	return s.rows.Write(w, t.Processes)
}

func (s *tableSink) end(io.Writer) error { return nil }

type csvSink struct {
	rows   report.WatchCSV[result.Process]
	groups report.WatchCSV[result.Group]
}

func (s *csvSink) tick(w io.Writer, t *result.WatchTick) error {
	if t.Total != nil {
		return s.groups.Write(w, t, t.Groups)
	}
	return s.rows.Write(w, t, t.Processes)
}

func (s *csvSink) end(io.Writer) error { return nil }

type jsonSink struct {
	c     *collector
	doc   report.WatchJSON
	begun bool
}

func (s *jsonSink) tick(w io.Writer, t *result.WatchTick) error {
	if err := s.begin(w); err != nil {
		return err
	}
	return s.doc.Tick(w, t)
}

func (s *jsonSink) begin(w io.Writer) error {
	if s.begun {
		return nil
	}
	s.begun = true
	return s.doc.Begin(w, &s.c.host)
}

// end makes a document of a run that was interrupted before its first tick too.
func (s *jsonSink) end(w io.Writer) error {
	if err := s.begin(w); err != nil {
		return err
	}
	return s.doc.End(w)
}

type linesSink struct {
	c     *collector
	ticks int
}

func (s *linesSink) tick(w io.Writer, t *result.WatchTick) error {
	if s.ticks++; s.ticks == 1 {
		if err := report.WriteWatchHostLine(w, &s.c.host); err != nil {
			return err
		}
	}
	return report.WriteWatchLines(w, t)
}

func (s *linesSink) end(io.Writer) error { return nil }

// csvColumns puts the thread's id behind the first column when there are
// thread rows.
func csvColumns(columns []*report.ProcessColumn, threads bool) []*report.ProcessColumn {
	if !threads || len(columns) == 0 {
		return columns
	}
	return slices.Insert(slices.Clone(columns), 1, &report.ThreadColumn)
}
