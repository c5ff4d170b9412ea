package plot

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteSVG writes a file of its own: with the title, and the style sheet.
func (f *Figure) WriteSVG(w io.Writer) error {
	if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
		return err
	}
	return f.svg(w, "figure", false)
}

// WriteInline writes an svg element for a page that has CSS in its head and
// shows the title itself. The identifier must be the only one of its name in
// the page, and made of letters, digits and hyphens.
func (f *Figure) WriteInline(w io.Writer, id string) error { return f.svg(w, id, true) }

func (f *Figure) svg(out io.Writer, id string, inline bool) error {
	c, width, height := f.layout(!inline)
	w := bufio.NewWriter(out)
	// Colours are classes; a reader that knows no style sheets gets black.
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img" aria-labelledby="%s-t %[3]s-d" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="%g">`,
		number(width), number(height), id, sizeText)
	fmt.Fprintf(w, "\n<title id=\"%s-t\">%s</title>\n<desc id=\"%[1]s-d\">%[3]s</desc>\n", id, escape(f.Title), escape(f.Desc))
	if !inline {
		fmt.Fprintf(w, "<style>\n%s</style>\n", CSS())
		fmt.Fprintf(w, "<path class=\"f-paper\" d=\"M0 0h%sv%sh-%[1]sz\"/>\n", number(width), number(height))
	}
	for i := range c.shapes {
		c.shapes[i].svg(w)
	}
	io.WriteString(w, "</svg>\n")
	return w.Flush() // keeps the first error
}

func escape(s string) string { return html.EscapeString(Clean(s)) }

func (s *shape) svg(w *bufio.Writer) {
	switch s.kind {
	case textShape:
		fmt.Fprintf(w, `<text class="f-%s" x="%s" y="%s"`, inks[s.ink].class, number(s.at.x), number(s.at.y))
		if a := [...]string{"", "middle", "end"}[s.anchor]; a != "" {
			fmt.Fprintf(w, ` text-anchor="%s"`, a)
		}
		if s.size != sizeText {
			fmt.Fprintf(w, ` font-size="%g"`, s.size)
		}
		if s.strong {
			io.WriteString(w, ` font-weight="600"`)
		}
		w.WriteByte('>')
		io.WriteString(w, escape(s.text)+"</text>\n")
		return
	case fillShape:
		fmt.Fprintf(w, `<path class="f-%s"`, inks[s.ink].class)
		if s.alpha > 0 {
			fmt.Fprintf(w, ` fill-opacity="%g"`, s.alpha)
		}
		fmt.Fprintf(w, ` d="%s"`, pathData(s.paths, true))
	case strokeShape:
		fmt.Fprintf(w, `<path class="k-%s" fill="none" stroke-width="%g"`, inks[s.ink].class, s.width)
		if len(s.dash) > 0 {
			fmt.Fprintf(w, ` stroke-dasharray="%s"`, strings.Trim(fmt.Sprint(s.dash), "[]"))
		}
		if s.width >= 2 {
			io.WriteString(w, ` stroke-linejoin="round"`)
		}
		fmt.Fprintf(w, ` d="%s"`, pathData(s.paths, s.closed))
	}
	if s.tip != "" {
		fmt.Fprintf(w, "><title>%s</title></path>\n", escape(s.tip))
		return
	}
	io.WriteString(w, "/>\n")
}

// pathData writes polygons or polylines, with level and upright lines in their
// short form: most of a figure's size is rectangles.
func pathData(paths [][]point, closed bool) string {
	var b strings.Builder
	for _, path := range paths {
		var x, y float64
		for i, p := range path {
			px, py := tenth(p.x), tenth(p.y)
			switch {
			case i == 0:
				b.WriteString("M" + number(px) + " " + number(py))
			case px == x && py == y:
				continue
			case py == y:
				b.WriteString("h" + number(px-x))
			case px == x:
				b.WriteString("v" + number(py-y))
			default:
				b.WriteString("l" + number(px-x) + " " + number(py-y))
			}
			x, y = px, py
		}
		if closed {
			b.WriteByte('z')
		}
	}
	return b.String()
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// number writes a coordinate with up to one decimal.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}
