package report

import (
	"encoding/json"
	"io"
	"time"

	"wordsize/internal/result"
)

// WatchCSV writes ticks as CSV: one header, then one line per row with the
// tick's time in front. Numbers are exact and in the unit that the header
// names; unknown values are empty.
type WatchCSV[R any] struct {
	Columns []*WatchColumn[R]
	Context WatchContext
	begun   bool
	buf     []byte
}

// Write writes the rows of one tick.
func (c *WatchCSV[R]) Write(w io.Writer, t *result.WatchTick, rows []*R) error {
	out := newCSV(w)
	record := make([]string, len(c.Columns)+1)
	if !c.begun {
		c.begun = true
		record[0] = "time"
		for i, col := range c.Columns {
			record[i+1] = col.Key
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	record[0] = time.Unix(0, t.TimeUnixNS).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	for _, r := range rows {
		for i, col := range c.Columns {
			c.buf = col.Exact(&c.Context, r, c.buf[:0])
			record[i+1] = string(c.buf)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WatchJSON writes ticks as one JSON document: schema, host and ticks.
type WatchJSON struct {
	ticks bool
}

// Begin writes what stands before the first tick.
func (j *WatchJSON) Begin(w io.Writer, host *result.Host) error {
	h, err := json.Marshal(host)
	if err != nil {
		return err
	}
	schema, _ := json.Marshal(result.WatchSchema)
	_, err = io.WriteString(w, `{"schema":`+string(schema)+`,"host":`+string(h)+`,"ticks":[`)
	return err
}

// Tick writes one tick.
func (j *WatchJSON) Tick(w io.Writer, t *result.WatchTick) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	sep := "\n"
	if j.ticks {
		sep = ",\n"
	}
	j.ticks = true
	_, err = io.WriteString(w, sep+string(b))
	return err
}

// End closes the document, however many ticks there were.
func (j *WatchJSON) End(w io.Writer) error {
	_, err := io.WriteString(w, "\n]}\n")
	return err
}

// WriteWatchLines writes a tick as JSON Lines: one line of type tick, then
// one line of type process or group per row, with the tick's time in each.
func WriteWatchLines(w io.Writer, t *result.WatchTick) error {
	enc := json.NewEncoder(w)
	head := *t
	head.Processes, head.Groups = nil, nil
	if err := enc.Encode(struct {
		Type string `json:"type"`
		*result.WatchTick
	}{"tick", &head}); err != nil {
		return err
	}
	for _, p := range t.Processes {
		if err := enc.Encode(struct {
			Type       string `json:"type"`
			TimeUnixNS int64  `json:"time_unix_ns"`
			*result.Process
		}{"process", t.TimeUnixNS, p}); err != nil {
			return err
		}
	}
	for _, g := range t.Groups {
		if err := enc.Encode(struct {
			Type       string `json:"type"`
			TimeUnixNS int64  `json:"time_unix_ns"`
			*result.Group
		}{"group", t.TimeUnixNS, g}); err != nil {
			return err
		}
	}
	return nil
}

// WriteWatchHostLine writes the first of the JSON Lines: schema and host.
func WriteWatchHostLine(w io.Writer, host *result.Host) error {
	return json.NewEncoder(w).Encode(struct {
		Type   string       `json:"type"`
		Schema string       `json:"schema"`
		Host   *result.Host `json:"host"`
	}{"host", result.WatchSchema, host})
}
