package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/page"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

func (b *book) comparisonTitle() string {
	if len(b.c.Groups) == 1 {
		return "Notes"
	}
	return "Comparison"
}

// comparisonBlocks are the tables of memtest compare with their footnotes, and
// the notes; of one group the notes alone.
func (b *book) comparisonBlocks() []page.Block {
	var blocks []page.Block
	if len(b.c.Groups) > 1 {
		for _, g := range compareGrids(b.c) {
			t := &page.Table{Caption: g.title, Header: g.header}
			for _, r := range g.rows {
				cells := page.Cells(r...)
				for i := range cells {
					if r[0] != geomean && g.header[i] != geomean { // no test was made of it
						cells[i].Tone = toneOf(cells[i].Text)
					}
				}
				t.Rows = append(t.Rows, cells)
			}
			blocks = append(blocks, t)
		}
		if len(blocks) > 0 {
			blocks = append(blocks, page.Text(strings.Join(compareFootnotes(b.c), " ")))
		}
	}
	if notes := prefixed("", b.c); len(notes) > 0 {
		if len(b.c.Groups) > 1 {
			blocks = append(blocks, page.Text("What speaks against it, or may explain it:"))
		}
		blocks = append(blocks, page.List(notes))
	}
	return blocks
}

// geomean is the name of a row, or column, of the tables.
const geomean = "geomean"

// toneOf colours what a cell says in words already: significant changes, and
// outliers.
func toneOf(text string) page.Tone {
	tone := page.Plain
	for _, w := range strings.Fields(strings.ReplaceAll(text, " %", "%")) {
		change, isPercent := strings.CutSuffix(w, "%")
		_, err := strconv.ParseFloat(change, 64)
		switch {
		case w == "outlier":
			return page.Bad
		case !isPercent || err != nil:
		case change[0] == '-':
			tone = page.Bad
		case change[0] == '+':
			tone = page.Good
		}
	}
	return tone
}

// hostBlocks describe the groups' hosts and in what they differ, and each host
// in full.
func (b *book) hostBlocks() []page.Block {
	var differ, agree [][]page.Cell
	for _, f := range b.Facts {
		row := []page.Cell{{Text: factName(&f)}}
		if f.Differs {
			row[0].Tone = page.Doubt
			for _, v := range f.Values {
				row = append(row, page.Cell{Text: fieldText(f.Path, v)})
			}
			differ = append(differ, row)
			continue
		}
		agree = append(agree, append(row, page.Cell{Text: fieldText(f.Path, f.Values[0])}))
	}
	var blocks []page.Block
	header := []string{"differs in"}
	for g := range b.c.Groups {
		header = append(header, b.name(g))
	}
	switch {
	case len(differ) > 0:
		blocks = append(blocks, &page.Table{Caption: "In what the groups differ", Header: header, Rows: differ, Align: "l"})
	case len(b.c.Groups) > 1:
		blocks = append(blocks, page.Text("The groups do not differ in anything that the records know of."))
	}
	common := &page.Table{Caption: "What was run, and where", Header: []string{"", "value"}, Rows: agree, Align: "l"}
	switch {
	case len(b.c.Groups) == 1:
		blocks = append(blocks, common)
	case len(agree) > 0:
		common.Caption = "The same in all groups"
		blocks = append(blocks, &page.Details{Summary: fmt.Sprintf("What all groups have in common (%d facts)", len(agree)), Blocks: []page.Block{common}})
	}
	return append(blocks, b.hostDetails()...)
}

// notInRecord is the value of a key that a record lacks.
const notInRecord = "?"

func factName(f *Fact) string { return unitless.Replace(keyName(f.Path)) }

// unitless takes the units of the JSON out of a name.
var unitless = strings.NewReplacer(" (ns)", "", " (bytes)", "", "(bytes a process)", "(of a process)")

// absent says what it means that a record lacks a key.
var absent = map[string]string{
	"args.runner": "none", "host.cgroup.memory_limit_bytes": "none known", "host.cgroup.cpus": "none known", "host.hypervisor": "none known",
}

// fieldText writes the values of a key of the JSON in readable units.
func fieldText(path string, values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v
		n, err := strconv.ParseFloat(v, 64)
		switch {
		case v == notInRecord:
			out[i] = unknown
			if text := absent[path]; text != "" {
				out[i] = text
			}
		case v == "true":
			out[i] = "yes"
		case v == "false":
			out[i] = "no"
		case err != nil:
		case strings.HasSuffix(path, "_bytes"):
			bytes := int64(n)
			out[i] = size(&bytes)
		case strings.HasSuffix(path, "_ns"):
			out[i] = fmt.Sprintf("%g s", n/1e9)
		}
	}
	const most = 4
	if len(out) > most {
		out = append(out[:most-1], fmt.Sprintf("and %d more", len(out)-most+1))
	}
	return printable(strings.Join(out, ", "))
}

// hostDetails describe each host as memtest info does.
func (b *book) hostDetails() []page.Block {
	const most = 40
	var blocks []page.Block
	seen := make(map[string]bool)
	for _, i := range b.ordered() {
		run := b.Records[i].Run
		h := &run.Host
		key := strings.Join([]string{h.Hostname, h.Kernel, run.Tool.GOARCH, h.CPU.Microcode}, "\x00")
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(seen) > most {
			continue
		}
		t := &page.Table{Caption: "As the first record of it has it", Header: []string{"", "value"}, Align: "l"}
		line := func(key, format string, args ...any) {
			t.Rows = append(t.Rows, page.Cells(key, printable(fmt.Sprintf(format, args...))))
		}
		hostLines(line, h, &run.Tool)
		name := fmt.Sprintf("%s, %s build, kernel %s", orUnknown(printable(h.Hostname)), orUnknown(run.Tool.GOARCH), orUnknown(printable(h.Kernel)))
		blocks = append(blocks, &page.Details{Summary: name, Blocks: []page.Block{t}})
	}
	if len(seen) > most {
		blocks = append(blocks, page.Text(fmt.Sprintf("And %d more; their records have it.", len(seen)-most)))
	}
	return blocks
}

// warned is one warning's code with what the records say of it.
type warned struct {
	code    string
	count   int
	records []string       // distinct files
	texts   []string       // distinct sentences, in order of appearance
	times   map[string]int // of each sentence
	groups  []string
}

func (b *book) warnings() []*warned {
	var all []*warned
	for _, i := range b.ordered() {
		for j := range b.Records[i].Run.Warnings {
			w := &b.Records[i].Run.Warnings[j]
			at := slices.IndexFunc(all, func(o *warned) bool { return o.code == w.Code })
			if at < 0 {
				at = len(all)
				all = append(all, &warned{code: w.Code, times: make(map[string]int)})
			}
			o := all[at]
			o.count++
			if file := b.Records[i].File; !slices.Contains(o.records, file) {
				o.records = append(o.records, file)
			}
			if name := b.name(b.Records[i].Group); !slices.Contains(o.groups, name) {
				o.groups = append(o.groups, name)
			}
			text := printable(WarningText(w))
			if o.times[text]++; o.times[text] == 1 {
				o.texts = append(o.texts, text)
			}
		}
	}
	return all
}

// warningBlocks have every warning with its sentence. Hundreds of workers can
// say the same with other figures: of each code, so many sentences are shown.
func (b *book) warningBlocks() []page.Block {
	const open, most = 3, 100
	all := b.warnings()
	if len(all) == 0 {
		return []page.Block{page.Text("None: nothing was seen that speaks against a figure.")}
	}
	t := &page.Table{Caption: "Warnings by code", Header: []string{"code", "warnings", "records", "groups"}, Align: "lrrl"}
	for _, w := range all {
		groups := strings.Join(w.groups, ", ")
		if len(w.groups) > 4 {
			groups = countOf(len(w.groups), "group")
		}
		t.Rows = append(t.Rows, page.Cells(w.code, fmt.Sprint(w.count), fmt.Sprintf("%d of %d", len(w.records), len(b.Records)), groups))
	}
	blocks := []page.Block{t}
	for _, w := range all {
		sentences := make([]string, 0, len(w.texts))
		for i, text := range w.texts {
			if i == most {
				sentences = append(sentences, fmt.Sprintf("%d more of the kind; the records have them.", len(w.texts)-most))
				break
			}
			if n := w.times[text]; n > 1 {
				text += fmt.Sprintf(" (%d times)", n)
			}
			sentences = append(sentences, w.code+": "+text)
		}
		if len(sentences) <= open {
			blocks = append(blocks, page.List(sentences))
			continue
		}
		blocks = append(blocks, page.List(sentences[:1]), &page.Details{
			Summary: fmt.Sprintf("%d more warnings %s", len(w.texts)-1, w.code), Blocks: []page.Block{page.List(sentences[1:])},
		})
	}
	return append(blocks, page.Text("docs/method.md says of each code why it matters, and what to do."))
}

// recordsBlock lists the files.
func (b *book) recordsBlock() page.Block {
	const open = 15
	t := &page.Table{
		Caption: "Records in order of time",
		Header:  []string{"file", "group", "started (UTC)", "host", "build", "measured", "launches", "GB/s, parallel", "warnings", "ended"}, Align: "llllllrrrl",
	}
	for _, i := range b.ordered() {
		run := b.Records[i].Run
		aggregate := "-"
		if f, ok := figuresOf(run, result.PhaseParallel); ok {
			aggregate = number(f.aggregate.Median/gb, "%.2f")
		}
		ended := page.Cell{Text: "complete"}
		switch {
		case run.Interrupted:
			ended = page.Cell{Text: "interrupted", Tone: page.Doubt}
		case run.Error != "":
			ended = page.Cell{Text: printable(run.Error), Tone: page.Bad}
		}
		row := page.Cells(b.Records[i].File, b.name(b.Records[i].Group), run.Started.UTC().Format("2006-01-02 15:04:05"), run.Host.Hostname, run.Tool.GOARCH,
			setupOf(run).String(), fmt.Sprint(len(run.Launches)), aggregate, fmt.Sprint(len(run.Warnings)))
		t.Rows = append(t.Rows, append(row, ended))
	}
	if len(t.Rows) <= open {
		return t
	}
	return &page.Details{Summary: fmt.Sprintf("All %d records", len(t.Rows)), Blocks: []page.Block{t}}
}

// methodBlocks say how the figures came about.
func (b *book) methodBlocks() []page.Block {
	list := page.List{
		"Each worker is a process (or a thread, where that is said) that goes over a chunk of its own, pass after pass. GB is 10^9 bytes, MiB is 2^20. Every byte read and every byte written counts once; the lines that ordinary stores make the caches read first do not.",
		"single: one process alone. parallel: N at once; those that have made their counted passes go on writing until all have (held load), so that nobody is measured on a quieter machine.",
		"aggregate: what all wrote in the window in which all were running, over its length. It is not N times the median.",
		fmt.Sprintf("The sample is one launch of the whole benchmark: passes of one launch share their page placement and are not independent. Figures are medians with order-statistic intervals of %g %%, which assume no distribution; there is none with fewer than %d launches.", 100*stats.Confidence, stats.MinForInterval),
	}
	if len(b.c.Groups) > 1 {
		tests := "one test was made"
		if b.c.Tests != 1 {
			tests = fmt.Sprintf("%d tests were made", b.c.Tests)
		}
		list = append(list,
			fmt.Sprintf("Differences: the Mann-Whitney U test, two-sided; significant below %g after Holm's correction for all tests of this page (%s). ~ means not shown to differ, not the same.", stats.Alpha, tests),
			fmt.Sprintf("Groups that lie far from the others are found by the modified z-score beyond %g, among %d groups or more.", stats.OutlierScore, stats.MinForOutliers))
	}
	if b.c.Emulated != "" {
		list = append(list, "Emulated figures never count as significantly different.")
	}
	return []page.Block{list, page.Text("docs/method.md and docs/compare.md say more.")}
}
