package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// NUMAPlacement writes on which nodes the memory of the last parallel phase's
// workers lay, by the node of their CPUs; nothing on a host of one node that
// nobody asked.
func NUMAPlacement(w io.Writer, run *result.Run) error {
	p := lastParallel(run)
	wanted := run.Args.NUMA != "" && run.Args.NUMA != result.NUMADefault
	several := run.Host.NUMANodes != nil && *run.Host.NUMANodes > 1
	if p == nil || !wanted && !several {
		return nil
	}
	asked := ""
	if wanted {
		asked = " (--numa " + run.Args.NUMA + ")"
	}
	var parts []string
	for _, group := range placementsByNode(p) {
		who := "CPUs of an unknown node"
		if group.cpuNode != nil {
			who = fmt.Sprintf("CPUs of node %d", *group.cpuNode)
		}
		parts = append(parts, fmt.Sprintf("%s (%s), memory on %s", who, countOf(group.workers, "worker"), nodeShares(&group.all)))
	}
	if len(parts) == 0 {
		parts = []string{"unknown"}
	}
	_, err := fmt.Fprintf(w, "NUMA placement%s, by move_pages: %s.\n", asked, strings.Join(parts, "; "))
	return err
}

// nodeGroup is the workers on one node's CPUs.
type nodeGroup struct {
	cpuNode *int
	workers int
	all     result.NUMAPlacement // of all of them
}

func placementsByNode(p *result.Phase) (groups []nodeGroup) {
	for i := range p.Workers {
		n := p.Workers[i].NUMA
		if n == nil {
			continue
		}
		at := slices.IndexFunc(groups, func(g nodeGroup) bool {
			return g.cpuNode == nil && n.CPUNode == nil || g.cpuNode != nil && n.CPUNode != nil && *g.cpuNode == *n.CPUNode
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, nodeGroup{cpuNode: n.CPUNode})
		}
		g := &groups[at]
		g.workers++
		g.all.Missing += n.Missing
		for _, f := range n.Found {
			g.all.Add(f.Node, f.Pages)
		}
	}
	return groups
}

// nodeShares writes "node 0: 100 %": of the pages that were in memory.
func nodeShares(p *result.NUMAPlacement) string {
	located := p.Located()
	if located == 0 {
		return "unknown nodes"
	}
	var parts []string
	for _, n := range p.Found {
		parts = append(parts, fmt.Sprintf("node %d: %.4g %%", n.Node, 100*float64(n.Pages)/float64(located)))
	}
	if p.Missing > 0 {
		parts = append(parts, fmt.Sprintf("of %d pages asked about %d were not in memory", located+p.Missing, p.Missing))
	}
	return strings.Join(parts, ", ")
}

// cpuNode and nodePages are cells of the CSV: "0", and "0:12;1:500".
func cpuNode(p *result.NUMAPlacement) string {
	if p == nil {
		return ""
	}
	return maybe(p.CPUNode)
}

func nodePages(p *result.NUMAPlacement) string {
	if p == nil {
		return ""
	}
	var parts []string
	for _, n := range p.Found {
		parts = append(parts, fmt.Sprintf("%d:%d", n.Node, n.Pages))
	}
	return strings.Join(parts, ";")
}

// numaWarning returns the sentence of a warning about where memory lies.
func numaWarning(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	percent := func() float64 { return 100 * v("elsewhere_pages") / v("sampled_pages") }
	switch w.Code {
	case result.WarnMisplaced:
		return fmt.Sprintf("worker %g has %.3g %% of its memory on other nodes than node %s, which was asked for", v("worker"), percent(), w.Subject)
	case result.WarnNUMAUneven:
		return fmt.Sprintf("worker %g's memory is not evenly interleaved over nodes %s: node %g has %.3g %% of its share; it may be full", v("worker"), w.Subject, v("node"), 100*v("pages")/v("fair_pages"))
	case result.WarnNUMARemote:
		return fmt.Sprintf("worker %g ran on node %g and has %.3g %% of its memory on other nodes: that one is full or has none; --numa local insists", v("worker"), v("node"), percent())
	}
	return fmt.Sprintf("where worker %g's memory lies could not be verified: %s", v("worker"), w.Subject)
}
