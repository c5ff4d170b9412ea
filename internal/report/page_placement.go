package report

import (
	"fmt"
	"math"

	"wordsize/internal/page"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

var bandNames = []string{"below 16 MiB", "16 to 896 MiB", "896 MiB to 4 GiB", "above 4 GiB"}

func bandsOf(p *result.Placement) []int64 {
	return []int64{p.Below16MiB, p.Below896MiB, p.Below4GiB, p.Above4GiB}
}

// placementOf sums up where the chunks of a group's workers lay in the
// parallel phases, and counts the workers of which that is not known.
func (b *book) placementOf(g int) (sum result.Placement, known, unknown int) {
	for _, i := range b.byTime[g] {
		for _, l := range b.Records[i].Run.Launches {
			for _, p := range l.Phases {
				if p.Name != result.PhaseParallel {
					continue
				}
				for _, w := range p.Workers {
					if w.Placement == nil {
						unknown++
						continue
					}
					known++
					sum.Merge(w.Placement)
				}
			}
		}
	}
	return sum, known, unknown
}

// placement shows the bands of physical addresses as shares of the chunks; nil
// when no record has them.
func (b *book) placement() *plot.Figure {
	chart := &plot.Bars{Stacked: true, Series: bandNames, Axis: plot.Axis{Label: "% of the bytes of all chunks", Max: 100}}
	some := false
	var said []string
	for g := range b.c.Groups {
		sum, known, _ := b.placementOf(g)
		group := plot.BarGroup{Name: b.name(g)}
		total := float64(sum.Bytes())
		if known == 0 || total == 0 {
			group.Note = "unknown"
			group.Bars = []plot.Bar{{Value: math.NaN()}}
			chart.Groups = append(chart.Groups, group)
			said = append(said, b.name(g)+": unknown")
			continue
		}
		some = true
		for i, bytes := range bandsOf(&sum) {
			share := 100 * float64(bytes) / total
			group.Bars = append(group.Bars, plot.Bar{Value: share, Tip: fmt.Sprintf("%s, %s: %.2f %%", b.name(g), bandNames[i], share)})
			if bytes > 0 {
				said = append(said, fmt.Sprintf("%s: %.1f %% %s", b.name(g), share, bandNames[i]))
			}
		}
		chart.Groups = append(chart.Groups, group)
	}
	if !some {
		return nil
	}
	return &plot.Figure{Title: "Where the chunks lay in physical memory", Desc: describe(said), Parts: []plot.Part{chart}}
}

func (b *book) placementBlocks() []page.Block {
	var blocks []page.Block
	if b.placement() == nil {
		blocks = append(blocks, page.Text("Unknown: showing it takes root (CAP_SYS_ADMIN) on Linux."))
	} else {
		blocks = append(blocks, &page.Figure{
			Caption: "By physical address, of the parallel phases. The limits are those of 32-bit x86 kernels: DMA, LOWMEM, and the 4 GiB that need PAE or a 64-bit kernel. In a virtual machine, addresses are the guest's.",
			Plot:    func(float64) *plot.Figure { return b.placement() },
		})
	}
	if t := b.placementTable(); t != nil {
		blocks = append(blocks, t)
	}
	if t := b.zonesTable(); t != nil {
		blocks = append(blocks, t)
	}
	return blocks
}

func (b *book) placementTable() page.Block {
	t := &page.Table{Caption: "Share of the chunks by physical address", Header: append(append([]string{"group"}, bandNames...), "workers", "unknown")}
	for g := range b.c.Groups {
		sum, known, unknown := b.placementOf(g)
		if known == 0 {
			continue
		}
		row := []string{b.name(g)}
		for _, bytes := range bandsOf(&sum) {
			row = append(row, number(100*float64(bytes)/float64(sum.Bytes()), "%.2f %%"))
		}
		t.Rows = append(t.Rows, page.Cells(append(row, fmt.Sprint(known), fmt.Sprint(unknown))...))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// zonesTable shows HIGHMEM where there is some: the largest use of each group.
func (b *book) zonesTable() page.Block {
	t := &page.Table{
		Caption: "HIGHMEM and LOWMEM with all chunks in memory, in MB (10^6 bytes); the launch that used most",
		Header:  []string{"group", "HIGHMEM used", "HIGHMEM free", "of", "LOWMEM free", "of"},
	}
	for g := range b.c.Groups {
		var most *result.PhaseZones
		for _, i := range b.byTime[g] {
			for _, l := range b.Records[i].Run.Launches {
				for _, p := range l.Phases {
					if p.Zones != nil && (most == nil || highUsed(p.Zones) > highUsed(most)) {
						most = p.Zones
					}
				}
			}
		}
		if most == nil {
			continue
		}
		mb := func(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }
		z := &most.Touched
		t.Rows = append(t.Rows, page.Cells(b.name(g), mb(highUsed(most)), mb(z.HighFreeBytes), mb(z.HighTotalBytes), mb(z.LowFreeBytes), mb(z.LowTotalBytes)))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func highUsed(z *result.PhaseZones) int64 { return z.Before.HighFreeBytes - z.Touched.HighFreeBytes }
