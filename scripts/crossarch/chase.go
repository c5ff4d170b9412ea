package main

import (
	"fmt"
	"io"
	"slices"

	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// chase makes the launches of both builds, in turns, and sets them side by
// side.
func (o *options) chase(stdout, stderr io.Writer) error {
	records := make(map[string][]*result.Chase)
	var files []string
	for r := range o.repeat {
		for _, arch := range o.pair.turn(r) {
			o.progress(stderr, "\r\x1b[Klaunch %d of %d, chase, %s", r+1, o.repeat, arch)
			c := new(result.Chase)
			file, err := o.sub(arch, fmt.Sprintf("%s-chase-%03d.json", arch, r), []string{"--repeat", "1", "--quiet"}, c, stderr)
			if err != nil {
				o.progress(stderr, "\n")
				return err
			}
			records[arch], files = append(records[arch], c), append(files, file)
		}
	}
	o.progress(stderr, "\r\x1b[K")
	p := report.NewChasePair(records[o.pair.wide], records[o.pair.narrow])
	p.Records, p.Emulated = files, o.emulated
	for _, arch := range []string{o.pair.wide, o.pair.narrow} {
		addChaseWarnings(p, arch, records[arch])
	}
	if err := o.saveChase(p); err != nil {
		return err
	}
	switch o.format {
	case "markdown":
		return report.ChasePairMarkdown(stdout, p)
	case "csv":
		return report.ChasePairCSV(stdout, p)
	case "json":
		return result.WriteJSON(stdout, p)
	}
	return report.ChasePairTable(stdout, p)
}

// saveChase writes the comparison and its figure into the folder.
func (o *options) saveChase(p *result.ChasePair) error {
	if err := o.save("chase.json", p); err != nil {
		return err
	}
	fig := report.ChasePairFigure(p)
	if err := o.saveWith("chase.svg", fig.WriteSVG); err != nil {
		return err
	}
	return o.saveWith("chase.png", func(w io.Writer) error { return png(fig, w) })
}

func png(fig *plot.Figure, w io.Writer) error {
	const scale = 2 // pixels of the figure's own unit
	return fig.WritePNG(w, scale)
}

// addChaseWarnings collects what speaks against a build's figures: each kind
// once, with the launches that have it.
func addChaseWarnings(p *result.ChasePair, arch string, records []*result.Chase) {
	var codes []string
	count, text := make(map[string]int), make(map[string]string)
	for _, c := range records {
		for _, w := range c.Warnings {
			if w.Code == result.WarnEmulated && p.Emulated == "" {
				p.Emulated = w.Subject
			}
			if count[w.Code]++; !slices.Contains(codes, w.Code) {
				codes = append(codes, w.Code)
				text[w.Code] = w.Text
			}
		}
	}
	for _, code := range codes {
		if code != result.WarnEmulated { // said above everything
			p.Warnings = append(p.Warnings, fmt.Sprintf("[%s] %s, %d of %d launches: %s", code, arch, count[code], len(records), text[code]))
		}
	}
}
