package report

import (
	"fmt"
	"io"
	"strings"

	"wordsize/internal/result"
)

// Placement writes where the chunks of the last parallel phase lay: HIGHMEM
// used, where the kernel has it, and physical addresses, where they may be
// known.
func Placement(w io.Writer, run *result.Run) error {
	p := lastParallel(run)
	if p == nil {
		return nil
	}
	if z := p.Zones; z != nil {
		if _, err := fmt.Fprintf(w, "HIGHMEM used: %.1f of %.1f GB; LOWMEM free: %.0f of %.0f MB.\n", float64(highUsed(z))/gb, float64(z.Touched.HighTotalBytes)/gb,
			float64(z.Touched.LowFreeBytes)/1e6, float64(z.Touched.LowTotalBytes)/1e6); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, placementText(run, p))
	return err
}

func lastParallel(run *result.Run) *result.Phase {
	for l := len(run.Launches) - 1; l >= 0; l-- {
		for i := range run.Launches[l].Phases {
			if p := &run.Launches[l].Phases[i]; p.Name == result.PhaseParallel {
				return p
			}
		}
	}
	return nil
}

func placementText(run *result.Run, p *result.Phase) string {
	var all result.Placement
	for i := range p.Workers {
		if p.Workers[i].Placement == nil {
			return "Physical placement: unknown (showing it takes root, CAP_SYS_ADMIN, on Linux)."
		}
		all.Merge(p.Workers[i].Placement)
	}
	total := float64(all.Bytes())
	if total == 0 {
		return "Physical placement: unknown."
	}
	low := "to 896 MiB"
	if b := run.Host.KernelBits; b != nil && *b == 32 && p.Zones != nil {
		low = "LOWMEM (to 896 MiB)"
	}
	var parts []string
	for _, band := range []struct {
		name  string
		bytes int64
	}{{"below 16 MiB", all.Below16MiB}, {low, all.Below896MiB}, {"to 4 GiB", all.Below4GiB}, {"above", all.Above4GiB}} {
		parts = append(parts, fmt.Sprintf("%s %.2f %%", band.name, 100*float64(band.bytes)/total))
	}
	return "Physical placement: " + strings.Join(parts, ", ") + "."
}
