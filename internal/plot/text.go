package plot

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Text sizes in CSS pixels.
const (
	sizeText  = 12.0
	sizeSmall = 11.0
	sizeTitle = 15.0
)

// goRegular is the font of PNG, and the measure of text in SVG, which the
// reader's own font will be close to.
var goRegular = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is compiled in
	}
	return f
})

var (
	widthMutex  sync.Mutex
	widthBuffer sfnt.Buffer
	runeWidths  = make(map[rune]float64) // of size 1
)

// roomy makes up for fonts that are wider than Go's.
const roomy = 1.1

// textWidth estimates how wide text will be, in CSS pixels; rather too wide.
func textWidth(s string, size float64) float64 {
	widthMutex.Lock()
	defer widthMutex.Unlock()
	sum := 0.0
	for _, r := range s {
		w, ok := runeWidths[r]
		if !ok {
			w = runeWidth(r)
			runeWidths[r] = w
		}
		sum += w
	}
	return sum * size * roomy
}

func runeWidth(r rune) float64 {
	const em = 1 << 10
	f := goRegular()
	g, err := f.GlyphIndex(&widthBuffer, r)
	if err != nil || g == 0 {
		return 1 // as wide as ideographs are
	}
	a, err := f.GlyphAdvance(&widthBuffer, g, fixed.I(em), 0)
	if err != nil {
		return 1
	}
	return float64(a) / 64 / em
}

// shorten cuts text to a width, with an ellipsis in its middle, for names tend
// to differ at either end.
func shorten(s string, size, width float64) string {
	if textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for n := len(r) - 1; n > 1; n-- {
		head := (n + 1) / 2
		short := string(r[:head]) + "…" + string(r[len(r)-(n-head):])
		if textWidth(short, size) <= width {
			return short
		}
	}
	return "…"
}

// Clean replaces what must not reach a page: control characters, which XML
// cannot hold, invalid UTF-8, and the marks that turn the direction of text,
// with which a name could rewrite its surroundings.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError, r == 0xfffe, r == 0xffff, r == '\u2028', r == '\u2029':
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
