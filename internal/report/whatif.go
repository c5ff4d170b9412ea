package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"wordsize/internal/result"
)

// WhatIfStyle says how to write the table.
type WhatIfStyle struct {
	Width int // columns; 0 for 80
	Text  WatchText
}

// whatIfMappings is how many mappings the table shows.
const whatIfMappings = 6

// WhatIf writes a record as text; that of one process fits one screen.
func WhatIf(w io.Writer, rec *result.WhatIf, style WhatIfStyle) error {
	if style.Width == 0 {
		style.Width = 80
	}
	t := &whatIfText{style: style}
	for i := range rec.Processes {
		if i > 0 {
			t.line("")
		}
		t.process(&rec.Processes[i])
	}
	if rec.Group != nil {
		t.line("")
		t.group(rec.Group)
	}
	t.line("(sizes in KiB, or m, g for 2^20, 2^30 bytes; an estimate: see docs/whatif.md)")
	_, err := io.WriteString(w, t.b.String())
	return err
}

type whatIfText struct {
	b     strings.Builder
	style WhatIfStyle
}

// line writes a line, cut at the width.
func (t *whatIfText) line(format string, args ...any) {
	s := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	cut, _ := t.style.Text.Append(nil, s, t.style.Width)
	t.b.Write(cut)
	t.b.WriteByte('\n')
}

// wrap writes words behind a label, on as many lines as it takes.
func (t *whatIfText) wrap(label, text string) {
	const indent = 11
	line := label
	for len(line) < indent {
		line += " "
	}
	start := len(line)
	for word := range strings.FieldsSeq(text) {
		if len(line) > start && len(line)+1+len(word) > t.style.Width {
			t.line("%s", line)
			line = strings.Repeat(" ", indent)
			start = indent
		}
		if len(line) > start {
			line += " "
		}
		line += word
	}
	t.line("%s", line)
}

// whatIfTarget names a data model for people.
var whatIfTarget = map[string]string{
	"ilp32": "32-bit build", "lp64": "64-bit build", "x32": "x32 build", "ptr32": "pointers of 32 bits",
}

func (t *whatIfText) process(p *result.WhatIfProcess) {
	name, _ := t.style.Text.Append(nil, string(p.Program), 40)
	head := fmt.Sprintf("PID %d %s", p.PID, name)
	if p.Bits != 0 {
		head += fmt.Sprintf("  %d-bit", p.Bits)
	}
	if p.Machine != "" {
		head += " " + p.Machine
	}
	if p.Model != "" {
		head += " -> " + whatIfTarget[p.Model]
	}
	t.line("%s", head)
	if p.Estimate != nil {
		t.figures(p)
		t.content(p)
		t.mappings(p)
	}
	t.notes(p)
}

// figures writes the sizes now and then.
func (t *whatIfText) figures(p *result.WhatIfProcess) {
	e := p.Estimate
	t.line("%-9s %6s  %8s  %-15s  %s", "", "NOW", "ESTIMATE", "INTERVAL", "CHANGE")
	t.row("RSS", p.RSSBytes, e.RSS, e.RSSLow, e.RSSHigh)
	t.row("private", p.PrivateBytes, e.Private, e.PrivateLow, e.PrivateHigh)
	t.line("%-9s %6s  text and data of files%s", "files", whatIfSize(p.FileBytes), whatIfShared(p))
	if p.Undecided {
		text := "arrays of small integers may be of int (they halve) or of int64 (they stay): content cannot tell. --ints word or --ints fixed decides. They are in:"
		for _, m := range p.Mappings {
			if m.Undecided {
				text += " " + string(m.Name) + ","
			}
		}
		t.wrap("undecided", strings.TrimRight(text, ",:"))
	}
}

// row writes a size now and then, with the change.
func (t *whatIfText) row(label string, now int64, mid result.Bytes, low, high int64) {
	change := fmt.Sprintf("%s to %s", whatIfChange(now, low), whatIfChange(now, high))
	if mid.Known {
		change = fmt.Sprintf("%s (%s)", whatIfChange(now, mid.Value), change)
	}
	t.line("%-9s %6s  %8s  %-15s  %s", label, whatIfSize(now), whatIfOpt(mid), whatIfSize(low)+" to "+whatIfSize(high), change)
}

func whatIfShared(p *result.WhatIfProcess) string {
	if p.SharedBytes == 0 {
		return ""
	}
	return "; shared memory " + whatIfSize(p.SharedBytes)
}

// content writes what the private memory is made of.
func (t *whatIfText) content(p *result.WhatIfProcess) {
	if s := whatIfMakeUp(p.MakeUp, p.PrivateBytes, len(p.MakeUp)); s != "" {
		t.wrap("made of", s)
	}
	var list []string
	for _, a := range p.Allocators {
		if a.Bytes*100 >= p.PrivateBytes && a.Then.Known {
			list = append(list, fmt.Sprintf("%s %s -> %s", a.Name, whatIfSize(a.Bytes), whatIfSize(a.Then.Value)))
		}
	}
	if len(list) > 0 {
		t.wrap("held by", strings.Join(list, ", "))
	}
}

// whatIfShort are shorter names of contents, for a mapping's row.
var whatIfShort = strings.NewReplacer("word-sized integers", "ints", "bare integers", "bare ints", "other data", "data")

// whatIfMakeUp lists the largest parts as shares of a whole.
func whatIfMakeUp(parts []result.WhatIfPart, whole int64, most int) string {
	var list []string
	for _, m := range parts {
		share := math.Round(100 * float64(m.Bytes) / float64(max(1, whole)))
		if share >= 1 && len(list) < most {
			list = append(list, fmt.Sprintf("%s %.0f%%", m.Name, share))
		}
	}
	return strings.Join(list, ", ")
}

func (t *whatIfText) mappings(p *result.WhatIfProcess) {
	t.line("%7s %7s  %-15s  %s", "PRIVATE", "THEN", "INTERVAL", "MAPPING: MADE OF")
	for i, m := range p.Mappings {
		if i >= whatIfMappings || m.Private*200 < p.PrivateBytes {
			break
		}
		name := string(m.Name)
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			name = name[at+1:]
		}
		if m.Count > 1 {
			name += fmt.Sprintf(" x%d", m.Count)
		}
		made := whatIfShort.Replace(whatIfMakeUp(m.MakeUp, m.Private, 3))
		if m.Unread != "" {
			made = "not read: " + m.Unread
		}
		if made != "" {
			name += ": " + made
		}
		t.line("%7s %7s  %-15s  %s", whatIfSize(m.Private), whatIfOpt(m.Then), whatIfSize(m.Low)+" to "+whatIfSize(m.High), name)
	}
}

// notes writes fit, objections, problems and coverage.
func (t *whatIfText) notes(p *result.WhatIfProcess) {
	if f := p.Fits; f != nil && p.Model != "lp64" {
		peak := ""
		if p.VMPeakBytes.Known {
			peak = fmt.Sprintf("; peak VIRT now %s", whatIfSize(p.VMPeakBytes.Value))
			if f.Reserved > 1<<30 {
				peak += fmt.Sprintf(", of it %s reserved without use", whatIfSize(f.Reserved))
			}
		}
		t.wrap("fits", fmt.Sprintf("in 3 GiB (32-bit kernel): %s; in 4 GiB (64-bit kernel): %s%s", f.In3GiB, f.In4GiB, peak))
	}
	for _, n := range p.Against {
		t.wrap("against", n.Text)
	}
	if p.Partial {
		t.wrap("partial", "only what was read until then is counted")
	}
	for _, n := range p.Problems {
		label := "problem"
		if p.Estimate == nil {
			label = "no figure"
		}
		t.wrap(label, n.Text)
	}
	if p.Estimate != nil {
		t.wrap("looked at", fmt.Sprintf("%s of %s private in %.2f s", whatIfSize(p.Coverage.ReadBytes), whatIfSize(p.Coverage.OfBytes), p.Coverage.Seconds))
	}
}

func (t *whatIfText) group(g *result.WhatIfGroup) {
	t.line("%d processes, shared pages counted once (PSS)", g.Processes)
	if g.PSS != nil {
		t.row("PSS", g.PSSBytes.Value, g.PSS.Value, g.PSS.Low, g.PSS.High)
	}
	if g.LeftOut > 0 {
		t.line("%d of them left out: no estimate", g.LeftOut)
	}
}

func whatIfSize(v int64) string { return string(AppendWatchSize(nil, v)) }

func whatIfOpt(v result.Bytes) string {
	if !v.Known {
		return "?"
	}
	return whatIfSize(v.Value)
}

// whatIfChange writes a change in percent.
func whatIfChange(now, then int64) string {
	if now <= 0 {
		return "-"
	}
	return fmt.Sprintf("%+.0f %%", 100*(float64(then)/float64(now)-1))
}
