package report

import (
	"io"
	"strings"
)

// gridsMarkdown writes tables for a ticket, with an item for each note.
func gridsMarkdown(w io.Writer, grids []grid, notes []string) error {
	var lines []string
	for _, g := range grids {
		lines = append(lines, "**"+markdown(g.title)+"**", "")
		lines = append(append(lines, markdownTable(g.header, g.rows)...), "")
	}
	return writeLines(w, append(lines, markdownItems(notes)...))
}

// tableMarkdown writes one table for a ticket, then one item of its footnotes,
// which are one text in lines, and one of each note.
func tableMarkdown(w io.Writer, header []string, rows [][]string, footnotes, notes []string) error {
	items := append([]string{strings.Join(footnotes, " ")}, notes...)
	return writeLines(w, append(append(markdownTable(header, rows), ""), markdownItems(items)...))
}

// markdownTable lays out a table whose first column is text and whose others
// are numbers.
func markdownTable(header []string, rows [][]string) []string {
	lines := []string{markdownRow(header), "|---" + strings.Repeat("|--:", len(header)-1) + "|"}
	for _, r := range rows {
		lines = append(lines, markdownRow(r))
	}
	return lines
}

// markdownItems makes an item of each text.
func markdownItems(texts []string) []string {
	items := make([]string, len(texts))
	for i, s := range texts {
		items[i] = "- " + markdown(s)
	}
	return items
}

func markdownRow(cells []string) string {
	out := make([]string, len(cells))
	for i, s := range cells {
		out[i] = markdown(s)
	}
	return "| " + strings.Join(out, " | ") + " |"
}

// markdownEscapes keep names, which may hold anything, from being markup.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "](", `]\(`, "&", "&amp;", "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "~", `\~`, "\n", " ")

func markdown(s string) string { return printable(markdownEscapes.Replace(s)) }
