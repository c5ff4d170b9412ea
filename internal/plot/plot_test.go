package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

func svgOf(t *testing.T, f *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name := range goldenFigures {
		got := svgOf(t, allFigures()[name])
		path := filepath.Join("testdata", name+".svg")
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
}

// Whatever the data, the SVG is XML, with its text alternative, and no place
// in it is undefined.
func TestWellFormed(t *testing.T) {
	for name, f := range allFigures() {
		s := svgOf(t, f)
		d := xml.NewDecoder(strings.NewReader(s))
		elements := make(map[string]int)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, s)
			}
			if e, ok := token.(xml.StartElement); ok {
				elements[e.Name.Local]++
			}
		}
		if elements["script"] > 0 || elements["desc"] != 1 || elements["title"] < 1 {
			t.Errorf("%s: elements %v", name, elements)
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, ">-0") {
			t.Errorf("%s: a place that is none:\n%s", name, s)
		}
		if !strings.Contains(s, `role="img" aria-labelledby="figure-t figure-d"`) {
			t.Errorf("%s: no text alternative", name)
		}
		for _, r := range s {
			if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' {
				t.Errorf("%s: %U reaches the page", name, r)
			}
		}
	}
}

// Inline, there is no style sheet and no drawn title: the page has them.
func TestInline(t *testing.T) {
	var b bytes.Buffer
	if err := barFigure().WriteInline(&b, "f1"); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if !strings.HasPrefix(s, "<svg ") || strings.Contains(s, "<style") || strings.Count(s, "Bandwidth of two builds") != 1 {
		t.Error(s)
	}
	if strings.Contains(s, " style=") || strings.Contains(s, "#0072b2") {
		t.Error("a style of its own, which a page's security policy forbids:\n" + s)
	}
}

func TestPNG(t *testing.T) {
	for name, f := range allFigures() {
		var b bytes.Buffer
		if err := f.WritePNG(&b, 2); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		wide := f.Width
		if wide == 0 {
			wide = DefaultWidth
		}
		if img.Bounds().Dx() != int(2*wide) {
			t.Errorf("%s: %v", name, img.Bounds())
		}
		count := make(map[color.RGBA]int)
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				count[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
			}
		}
		want := map[string][]ink{
			"bars": {inkSeries, inkSeries + 1, inkText}, "shares": {inkSeries + 1, inkSeries + 2, inkSeries + 3}, "lines": {inkSeries, inkSeries + 1, inkSeries + 2},
			"stack": {inkSeries, inkSeries + 1, inkSeries + 2, inkMark}, "rows": {inkGood, inkBad, inkSlow, inkHeld},
		}[name]
		for _, i := range append(want, inkPaper) {
			if count[i.rgb(false)] < 20 {
				t.Errorf("%s: %d dots of %s", name, count[i.rgb(false)], inks[i].class)
			}
		}
	}
}

// What a bar says must be where the axis says it: the SVG and the PNG of one
// figure are of one layout, so that one check does.
func TestBarsReachTheirValue(t *testing.T) {
	c, _, _ := (&Figure{Parts: []Part{&Bars{Axis: Axis{Max: 100}, Series: []string{"a"}, Groups: []BarGroup{{Name: "x", Bars: []Bar{{Value: 25}}}, {Name: "y", Bars: []Bar{{Value: 100}}}}}}}).layout(false)
	var widths []float64
	for _, s := range c.shapes {
		if s.kind == fillShape && s.ink == inkSeries {
			widths = append(widths, s.paths[0][1].x-s.paths[0][0].x)
		}
	}
	if len(widths) != 2 || math.Abs(widths[0]*4-widths[1]) > 1e-6 {
		t.Errorf("bars of 25 and 100 are %v wide", widths)
	}
}

// contrast is WCAG 2's ratio of luminances.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		part := func(v uint8) float64 {
			f := float64(v) / 255
			if f <= 0.04045 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	}
	hi, lo := luminance(a), luminance(b)
	if hi < lo {
		hi, lo = lo, hi
	}
	return (hi + 0.05) / (lo + 0.05)
}

func TestContrast(t *testing.T) {
	for i := range inks {
		least := 3.0 // WCAG 2.2, 1.4.11
		switch ink(i) {
		case inkPaper, inkGrid:
			continue
		case inkHeld:
			least = 2.4 // what doesn't count stands back
		case inkText, inkMuted:
			least = 4.5 // 1.4.3
		}
		for _, dark := range []bool{false, true} {
			if got := contrast(ink(i).rgb(dark), inkPaper.rgb(dark)); got < least {
				t.Errorf("%s, dark %t: contrast %.2f, want %.1f", inks[i].class, dark, got, least)
			}
		}
	}
}

// Neighbours differ in more than colour.
func TestSecondChannel(t *testing.T) {
	for i := range 12 {
		if slices.Equal(hatches[i%len(hatches)], hatches[(i+1)%len(hatches)]) || slices.Equal(dashOf(i), dashOf(i+1)) ||
			slices.Equal(markers[i%len(markers)], markers[(i+1)%len(markers)]) {
			t.Errorf("series %d and %d differ by colour only", i, i+1)
		}
		for j := range i {
			if seriesInk(i) == seriesInk(j) && (i%len(hatches) == j%len(hatches) || i%len(markers) == j%len(markers) || i%len(dashes) == j%len(dashes)) {
				t.Errorf("series %d and %d are the same", i, j)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		lo, hi float64
		most   int
		want   string
	}{
		{Axis{}, 0, 50, 6, "0 10 20 30 40 50"},
		{Axis{}, 0, 0.07, 4, "0.00 0.02 0.04 0.06"},
		{Axis{}, 0, 0, 3, "0.0 0.5 1.0"},
		{Axis{}, -5, 5, 5, "-4 -2 0 2 4"},
		{Axis{Scale: Log2}, 1, 64, 4, "1 4 16 64"},
		{Axis{Scale: Log2}, 3, 40, 9, "4 8 16 32"},
		{Axis{Scale: Log2, Format: BytesText}, 1 << 10, 1 << 30, 6, "1 KiB|16 KiB|256 KiB|4 MiB|64 MiB|1 GiB"},
		{Axis{Scale: Bytes}, 0, 1.5 * (1 << 30), 4, "0|0.5 GiB|1 GiB|1.5 GiB"},
		{Axis{Scale: Bytes}, 0, 3, 4, "0|1 B|2 B|3 B"},
		{Axis{Scale: Duration}, 0, 200, 7, "0 s|30 s|60 s|90 s|120 s|150 s|180 s"},
		{Axis{Scale: Duration}, 0, 3600, 6, "0 min|10 min|20 min|30 min|40 min|50 min|60 min"},
		{Axis{Scale: Duration}, 0, 30 * 86400, 5, "0 d|7 d|14 d|21 d|28 d"},
		{Axis{Scale: Duration}, 0, 0.2, 4, "0 ms|50 ms|100 ms|150 ms|200 ms"},
		{Axis{Scale: Duration}, 0, 2e-5, 4, "0 µs|5 µs|10 µs|15 µs|20 µs"},
	} {
		s := newSpan(c.axis, c.lo, c.hi, true)
		var got []string
		for _, k := range s.ticks(c.most) {
			got = append(got, k.label)
		}
		sep := " "
		if strings.Contains(c.want, "|") {
			sep = "|"
		}
		if strings.Join(got, sep) != c.want {
			t.Errorf("%+v %g to %g: %q, want %q", c.axis, c.lo, c.hi, strings.Join(got, sep), c.want)
		}
	}
}

// A hundred thousand samples make a figure of a page's size, and the one peak
// is still in it.
func TestThin(t *testing.T) {
	const n = 100_000
	l := Line{Name: "x", X: make([]float64, n), Y: make([]float64, n)}
	for i := range l.X {
		l.X[i], l.Y[i] = float64(i), 1+0.1*math.Sin(float64(i))
	}
	l.Y[33_333] = 50
	stack := &Stack{X: l.X, Names: []string{"a"}, Values: [][]float64{l.Y}}
	for _, p := range []*XY{{Lines: []Line{l}}, {Stack: stack}, {Lines: []Line{{X: l.X, Y: l.Y, Step: true, Markers: true}}}} {
		f := &Figure{Parts: []Part{p}}
		c, _, _ := f.layout(false)
		top := math.Inf(1)
		for _, s := range c.shapes {
			if s.ink == inkSeries && len(s.paths) > 0 {
				for _, q := range s.paths[0] {
					top = min(top, q.y)
				}
			}
		}
		if size := len(svgOf(t, f)); size > 150_000 || top > 20 {
			t.Errorf("%d bytes; the peak is at %g from the top", size, top)
		}
	}
}

func TestHatchStaysInside(t *testing.T) {
	l := []point{{0, 0}, {40, 0}, {40, 20}, {20, 20}, {20, 40}, {0, 40}} // an L
	for _, angle := range []float64{0, math.Pi / 4, -math.Pi / 4} {
		lines := hatchLines(l, angle, 4)
		if len(lines) < 8 {
			t.Errorf("angle %g: %d lines", angle, len(lines))
		}
		for _, s := range lines {
			if x, y := (s[0].x+s[1].x)/2, (s[0].y+s[1].y)/2; x < 0 || y < 0 || x > 40 || y > 40 || x > 20.001 && y > 20.001 {
				t.Errorf("angle %g: a line through %g, %g", angle, x, y)
			}
		}
	}
}

func TestCells(t *testing.T) {
	r := &Rows{Rows: []Row{{Cells: []Cell{{0, 1, 1, Good}, {1, 2, 1, Good}, {2, 3, 1, Bad}, {4, 5, 1, Bad}, {5, 5.0001, 0, Bad}}}}}
	c, _, _ := (&Figure{Parts: []Part{r}}).layout(false)
	count := make(map[ink]int)
	for _, s := range c.shapes {
		if s.kind == fillShape {
			count[s.ink] += len(s.paths)
			for _, p := range s.paths {
				if p[1].x-p[0].x < 0.5 || p[2].y-p[1].y < 1 {
					t.Errorf("%s: a cell that nobody sees: %v", inks[s.ink].class, p)
				}
			}
		}
	}
	if count[inkGood] != 1 || count[inkBad] != 3 {
		t.Errorf("%v, want equal neighbours merged and others not", count)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"host-1": "host-1", "żółć 東京": "żółć 東京", "a\nb": "a b", "\x1b[31m": "�[31m", "a\u202eb": "a�b", "\xff": "�", "\x00\u0085": "��", "": "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) || Clean(got) != got || regexp.MustCompile(`[\x00-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}]`).MatchString(got) {
			t.Errorf("%q: %q", s, got)
		}
		if short := shorten(got, sizeText, 50); textWidth(short, sizeText) > 50 && short != "…" {
			t.Errorf("%q is wider than it should be", short)
		}
	})
}
