package plot

import (
	"fmt"
	"image/color"
	"strings"
)

// ink names a colour by its use.
type ink uint8

const (
	inkPaper ink = iota // the ground
	inkText
	inkMuted // text of less weight
	inkAxis
	inkGrid
	inkMark
	inkGood
	inkHeld
	inkSlow
	inkBad
	inkSeries // the first of seriesInks
)

const seriesInks = 7

// inks are the colours on a light and on a dark ground, 0xRRGGBB.
var inks = [...]struct {
	class       string
	light, dark uint32
}{
	inkPaper: {"paper", 0xffffff, 0x16181c},
	inkText:  {"text", 0x1b1f24, 0xe6e8eb},
	inkMuted: {"muted", 0x59626d, 0xa3abb5},
	inkAxis:  {"axis", 0x6b747f, 0x8a929c},
	inkGrid:  {"grid", 0xe1e4e8, 0x30343a},
	inkMark:  {"mark", 0x8b3a62, 0xe08fb8},
	inkGood:  {"good", 0x3a8fc7, 0x4a9fd6},
	inkHeld:  {"held", 0x8fa3b3, 0x5f7485},
	inkSlow:  {"slow", 0xc98500, 0xe69f00},
	inkBad:   {"bad", 0xc24400, 0xff7033},

	inkSeries + 0: {"s0", 0x0072b2, 0x4fa8e0},
	inkSeries + 1: {"s1", 0xd55e00, 0xee7a35},
	inkSeries + 2: {"s2", 0x008a64, 0x2bbf93},
	inkSeries + 3: {"s3", 0xb8578d, 0xdd94bb},
	inkSeries + 4: {"s4", 0xb57c00, 0xf0b43c},
	inkSeries + 5: {"s5", 0x4a5560, 0xc3cad2},
	inkSeries + 6: {"s6", 0x2f93cf, 0x9bd6f7},
}

func seriesInk(i int) ink { return inkSeries + ink(i%seriesInks) }

func (i ink) rgb(dark bool) color.RGBA {
	v := inks[i].light
	if dark {
		v = inks[i].dark
	}
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// CSS is the style sheet of all figures, for a page that holds some inline.
// Whatever the screen, paper is white.
func CSS() string {
	var b strings.Builder
	b.WriteString(".plot{max-width:100%;height:auto}\n")
	for _, i := range inks {
		fmt.Fprintf(&b, ".plot .f-%s{fill:#%06x}.plot .k-%[1]s{stroke:#%06[2]x}\n", i.class, i.light)
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	for _, i := range inks {
		fmt.Fprintf(&b, ".plot .f-%s{fill:#%06x}.plot .k-%[1]s{stroke:#%06[2]x}\n", i.class, i.dark)
	}
	b.WriteString("}\n")
	return b.String()
}
