package page

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"wordsize/internal/plot"
)

// Block is a piece of a section.
type Block interface {
	html(r *renderer) (template.HTML, error)
}

// Text is a paragraph.
type Text string

func (t Text) html(r *renderer) (template.HTML, error) { return r.execute("text", string(t)) }

// List is paragraphs with a bullet each.
type List []string

func (l List) html(r *renderer) (template.HTML, error) { return r.execute("list", []string(l)) }

// Tone says how a verdict, or a cell, is meant.
type Tone string

// The tones. Each shows by a sign or a word besides its colour.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Doubt Tone = "doubt"
)

// Verdict is the sentence that a reader in a hurry takes away.
type Verdict struct {
	Tone Tone
	Text string
	More []string // what it rests on, and what speaks against it
}

var signs = map[Tone]string{Plain: "•", Good: "✓", Bad: "▼", Doubt: "?"}

func (v *Verdict) html(r *renderer) (template.HTML, error) {
	return r.execute("verdict", struct {
		*Verdict
		Sign string
	}{v, signs[v.Tone]})
}

// Table has a row of headers, and rows whose first cell is their name.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]Cell
	// Align has a letter a column, l or r; the last one goes on. "" is "lr".
	Align string
	Notes []string // below it
}

// Cell is one cell.
type Cell struct {
	Text string
	Tone Tone
}

// Cells makes a row of plain cells.
func Cells(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

func (t *Table) html(r *renderer) (template.HTML, error) { return r.execute("table", t) }

// Left says whether a column is aligned to the left.
func (t *Table) Left(column int) bool {
	align := t.Align
	if align == "" {
		align = "lr"
	}
	return align[min(column, len(align)-1)] == 'l'
}

// Class returns the classes of a cell: how it is aligned, whether its text may
// be broken, and its tone.
func (t *Table) Class(column int, c Cell) string {
	const long = 32 // what is shorter is easier to read in one line
	var classes []string
	if t.Left(column) {
		classes = append(classes, "l")
		if utf8.RuneCountInString(c.Text) > long {
			classes = append(classes, "w")
		}
	}
	if c.Tone != Plain {
		classes = append(classes, string(c.Tone))
	}
	return strings.Join(classes, " ")
}

// The widths of figures, in CSS pixels: of a desktop's page and of paper, and
// of a phone.
const (
	WideFigure   = 900.0
	NarrowFigure = 350.0
)

// Figure is a plot with a caption. Plot is called for each width; both drawings
// are in the page, and one of them shows.
type Figure struct {
	Caption string
	Plot    func(width float64) *plot.Figure
}

func (f *Figure) html(r *renderer) (template.HTML, error) {
	r.figures++
	data := struct {
		Title, Caption string
		Wide, Narrow   template.HTML
	}{Caption: f.Caption}
	for _, v := range []struct {
		out   *template.HTML
		width float64
		name  string
	}{{&data.Wide, WideFigure, "w"}, {&data.Narrow, NarrowFigure, "n"}} {
		drawing := f.Plot(v.width)
		drawing.Width = v.width
		data.Title = drawing.Title
		var b bytes.Buffer
		if err := drawing.WriteInline(&b, fmt.Sprintf("f%d%s", r.figures, v.name)); err != nil {
			return "", err
		}
		*v.out = template.HTML(b.String()) // plot has escaped it
	}
	return r.execute("figure", data)
}

// Details are blocks that show when the reader opens them, and in print.
type Details struct {
	Summary string
	Blocks  []Block
}

func (d *Details) html(r *renderer) (template.HTML, error) {
	body, err := r.all(d.Blocks)
	if err != nil {
		return "", err
	}
	return r.execute("details", struct {
		Summary string
		Body    []template.HTML
	}{d.Summary, body})
}
