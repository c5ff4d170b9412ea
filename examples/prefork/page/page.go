// Package page is a web site made of objects: what a worker of a Django or
// Rails site holds in its memory between requests. A page's content follows
// from its number, so that whoever knows the number can check the page.
package page

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A Page is pointers, strings and maps, of which most is word-sized.
type Page struct {
	ID       uint32
	Path     string
	Title    string
	Author   *Author
	Tags     []string
	Fields   map[string]string
	Links    []*Link
	Comments []*Comment
}

// An Author writes pages and comments.
type Author struct {
	Name  string
	Joint int
}

// A Link leads to another page.
type Link struct {
	ID   uint32
	Text string
	prev *Link
}

// A Comment answers another one or, with a nil Parent, the page.
type Comment struct {
	By     *Author
	Parent *Comment
	Score  int
	Words  []string
}

var kinds = []string{"gallery", "users", "news", "wiki"}

// Path returns the path of a page.
func Path(id uint32) string {
	return "/" + kinds[id%uint32(len(kinds))] + "/" + strconv.FormatUint(uint64(id), 10) + "/"
}

// ParsePath is the reverse of Path; false if there is no such page.
func ParsePath(path string) (id uint32, ok bool) {
	parts := strings.Split(path, "/") // "", kind, number, ""
	if len(parts) != 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(parts[2], 10, 32)
	if err != nil || Path(uint32(n)) != path {
		return 0, false
	}
	return uint32(n), true
}

var words = strings.Fields(`memory page worker server word size pointer map string cache shared private kernel loop
	thread socket stack heap bound free busy idle table row value left right first last`)

// maker draws the same numbers for both word sizes: math/rand/v2 promises that
// for its sized functions.
type maker struct{ random *rand.Rand }

func (m maker) upTo(n uint32) int { return int(m.random.Uint32N(n)) }

// words returns n words as strings of their own, as a template engine or an
// object-relational mapper does.
func (m maker) words(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Clone(words[m.upTo(uint32(len(words)))])
	}
	return list
}

func (m maker) text(n int) string { return strings.Join(m.words(n), " ") }

// Build makes the objects of a page.
func Build(id uint32) *Page {
	m := maker{rand.New(rand.NewPCG(uint64(id), 0x70616765))}
	p := &Page{ID: id, Path: Path(id), Title: m.text(4), Tags: m.words(3), Fields: map[string]string{}}
	p.Author = &Author{Name: m.text(2), Joint: 1990 + m.upTo(40)}
	for _, name := range []string{"summary", "license", "camera", "place"} {
		p.Fields[name] = m.text(3 + m.upTo(4))
	}
	var prev *Link
	for range 4 {
		prev = &Link{ID: m.random.Uint32(), Text: m.text(2), prev: prev}
		p.Links = append(p.Links, prev)
	}
	for i := range 3 + m.upTo(4) {
		c := &Comment{By: &Author{Name: m.text(2), Joint: 1990 + m.upTo(40)}, Score: m.upTo(100), Words: m.words(4 + m.upTo(6))}
		if i > 0 && m.upTo(2) == 0 {
			c.Parent = p.Comments[m.upTo(uint32(i))]
		}
		p.Comments = append(p.Comments, c)
	}
	return p
}

// Render returns the page as HTML.
func (p *Page) Render() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title>\n<h1>%s: %s</h1>\n<p>by %s (%d), %s\n<dl>\n", html.EscapeString(p.Title),
		p.Path, html.EscapeString(p.Title), p.Author.Name, p.Author.Joint, strings.Join(p.Tags, ", "))
	for _, name := range []string{"summary", "license", "camera", "place"} {
		fmt.Fprintf(&b, "<dt>%s<dd>%s\n", name, html.EscapeString(p.Fields[name]))
	}
	b.WriteString("</dl>\n")
	for _, l := range p.Links {
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a>", Path(l.ID), html.EscapeString(l.Text))
		if l.prev != nil {
			fmt.Fprintf(&b, " after %d", l.prev.ID)
		}
		b.WriteString("<br>\n")
	}
	for _, c := range p.Comments {
		answers := ""
		if c.Parent != nil {
			answers = " to " + c.Parent.By.Name
		}
		fmt.Fprintf(&b, "<p>%s (%d)%s: %s\n", c.By.Name, c.Score, answers, html.EscapeString(strings.Join(c.Words, " ")))
	}
	return []byte(b.String())
}
