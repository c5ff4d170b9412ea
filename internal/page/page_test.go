package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"wordsize/internal/plot"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samplePage has a block of each kind, with name wherever a name may be.
func samplePage(name string) *Page {
	return &Page{
		Title: name, Subtitle: name, Footer: name,
		Lead: []Block{&Verdict{Tone: Bad, Text: name, More: []string{name}}},
		Sections: []Section{
			{ID: "a", Title: name, Blocks: []Block{
				Text(name), List{name, name},
				&Table{Caption: name, Header: []string{"", name}, Rows: [][]Cell{Cells(name, name), {{Text: name, Tone: Doubt}, {Text: name, Tone: Good}}}, Notes: []string{name}},
				&Details{Summary: name, Blocks: []Block{Text(name)}},
			}},
			{ID: "b", Title: name, Blocks: []Block{
				&Figure{Caption: name, Plot: func(width float64) *plot.Figure {
					return &plot.Figure{Title: name, Desc: name, Parts: []plot.Part{&plot.Bars{Groups: []plot.BarGroup{{Name: name, Bars: []plot.Bar{{Value: width}}}}}}}
				}},
			}},
		},
	}
}

func htmlOf(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	got := htmlOf(t, samplePage("host-1"))
	// The style sheet is in its own file.
	got = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(got, "<style>…</style>")
	got = regexp.MustCompile(`sha256-[A-Za-z0-9+/=&#;]+`).ReplaceAllString(got, "sha256-…")
	path := filepath.Join("testdata", "page.html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, got)
	}
}

// What a name holds is text wherever it stands.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "'\"&", "</style><b>", "javascript:alert(1)", "{{.}}",
		"\x1b[31m\x07\u202eevil\u2066", "\xff\xfe\x00", "]]>", "<!--", "data:text/html,x",
	} {
		s := htmlOf(t, samplePage(name))
		// All markup that is ours is in a page of a harmless name too, but
		// for the drawing, whose axis has more or fewer ticks.
		drawn := regexp.MustCompile(`</?(text|path)\b`)
		ours := drawn.ReplaceAllString(htmlOf(t, samplePage("x")), "")
		if got, want := strings.Count(drawn.ReplaceAllString(s, ""), "<"), strings.Count(ours, "<"); got != want {
			t.Errorf("%q: %d elements, want %d", name, got, want)
		}
		for _, r := range s {
			if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' {
				t.Errorf("%q: %U is in the page", name, r)
				break
			}
		}
	}
}

// The page asks for nothing, and its policy lets it.
func TestSelfContained(t *testing.T) {
	s := htmlOf(t, samplePage("x"))
	for _, no := range []string{"http:", "https:", "<script", " style=", "@import", "url(", " onclick"} {
		if at := strings.Index(strings.ReplaceAll(s, "http://www.w3.org/2000/svg", ""), no); at >= 0 {
			t.Errorf("%q is in the page: %.60q", no, s[at:])
		}
	}
	css := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(s)[1]
	sum := sha256.Sum256([]byte(css))
	policy := strings.NewReplacer("&#43;", "+", "&#39;", "'").Replace(s)
	if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Errorf("the policy forbids the page's own style sheet: want styleHash = %q", base64.StdEncoding.EncodeToString(sum[:]))
	}
	ids := make(map[string]bool)
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(s, -1) {
		if ids[m[1]] {
			t.Errorf("id %q twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` (?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(s, -1) {
		for _, id := range strings.Fields(m[1]) {
			if !ids[id] {
				t.Errorf("nothing has the id %q", id)
			}
		}
	}
}
