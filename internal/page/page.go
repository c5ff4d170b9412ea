package page

import (
	"bytes"
	_ "embed" // for the templates
	"fmt"
	"html/template"
	"io"

	"wordsize/internal/plot"
)

// Page is what a report says.
type Page struct {
	Title    string
	Subtitle string
	Lead     []Block // before the list of contents: what a reader in a hurry sees
	Sections []Section
	Footer   string
}

// Section is a part of the page with a heading. ID is its address within the
// page: letters, digits and hyphens, once.
type Section struct {
	ID, Title string
	Blocks    []Block
}

var (
	//go:embed page.css
	pageCSS string
	//go:embed page.html
	pageHTML string
)

// styleHash is the SHA-256 of the style sheet, which the page's policy allows
// by it. A constant, since crypto/sha256 holds 32 MiB of address space in each
// worker process of memtest; the test says what it must be.
const styleHash = "SUu7ELYWdnFfR2TWo/vDjJpNVczSJWU8Pm20nuBncEw="

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	r, err := newRenderer()
	if err != nil {
		return err
	}
	css := pageCSS + plot.CSS()
	data := struct {
		*Page
		CSS    template.CSS
		Policy string
		Lead   []template.HTML
		Body   [][]template.HTML
	}{
		Page: p, CSS: template.CSS(css),
		// Nothing may be fetched, run or sent, even if a name found its way
		// into the markup.
		Policy: "default-src 'none'; style-src 'sha256-" + styleHash + "'; img-src data:; base-uri 'none'; form-action 'none'",
	}
	if data.Lead, err = r.all(p.Lead); err != nil {
		return err
	}
	for i := range p.Sections {
		body, err := r.all(p.Sections[i].Blocks)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Sections[i].Title, err)
		}
		data.Body = append(data.Body, body)
	}
	return r.ExecuteTemplate(w, "page", data)
}

// renderer holds the templates and numbers the figures of one page.
type renderer struct {
	*template.Template
	figures int
}

func newRenderer() (*renderer, error) {
	t, err := template.New("").Funcs(template.FuncMap{"clean": plot.Clean}).Parse(pageHTML)
	return &renderer{Template: t}, err
}

func (r *renderer) all(blocks []Block) ([]template.HTML, error) {
	var all []template.HTML
	for _, b := range blocks {
		h, err := b.html(r)
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

func (r *renderer) execute(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := r.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err // html/template has escaped it
}
