package report

import (
	"fmt"
	"io"
	"strings"

	"wordsize/internal/result"
)

// WhatIfStyle says how to write the table.
type WhatIfStyle struct {
	Width int // columns; 0 for 80
	Text  WatchText
}

// WhatIf writes a record as text that fits one screen for one process.
func WhatIf(w io.Writer, rec *result.WhatIf, style WhatIfStyle) error {
	if style.Width == 0 {
		style.Width = 80
	}
	var b strings.Builder
	for i := range rec.Processes {
		if i > 0 {
			b.WriteByte('\n')
		}
		whatIfProcess(&b, &rec.Processes[i], style)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func whatIfProcess(b *strings.Builder, p *result.WhatIfProcess, style WhatIfStyle) {
	name, _ := style.Text.Append(nil, string(p.Program), 40)
	fmt.Fprintf(b, "PID %d  %s  %d-bit -> %s\n", p.PID, name, p.Bits, p.Model)
	e := p.Estimate
	if e == nil {
		for _, n := range p.Problems {
			fmt.Fprintf(b, "  no estimate: %s\n", n.Text)
		}
		return
	}
	fmt.Fprintf(b, "RSS %s -> %s (%s to %s)  private %s -> %s (%s to %s)\n", sizeText(p.RSSBytes), optSize(e.RSS), sizeText(e.RSSLow), sizeText(e.RSSHigh),
		sizeText(p.PrivateBytes), optSize(e.Private), sizeText(e.PrivateLow), sizeText(e.PrivateHigh))
}

func sizeText(v int64) string { return string(AppendWatchSize(nil, v)) }

func optSize(v result.Bytes) string {
	if !v.Known {
		return "?"
	}
	return sizeText(v.Value)
}
