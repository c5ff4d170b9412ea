package report

import (
	"fmt"
	"io"

	"wordsize/internal/result"
)

// Kernels writes the list of loops; with their speed, when it was measured.
func Kernels(w io.Writer, list *result.KernelList) error {
	if list.ChunkBytes != nil {
		return rankedKernels(w, list)
	}
	last := ""
	for _, k := range list.Kernels {
		if k.Name != last {
			if _, err := fmt.Fprintf(w, "%s: %s\n", k.Name, k.Doc); err != nil {
				return err
			}
			last = k.Name
		}
		mark, state := " ", k.TierDoc
		switch {
		case k.Default:
			mark = "*"
		case !k.Usable:
			mark, state = "-", "not here: "+k.Reason
		}
		if _, err := fmt.Fprintf(w, "  %s %-8s %s\n", mark, k.Tier, state); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "* what the name alone selects here; - not usable here.")
	return err
}

func rankedKernels(w io.Writer, list *result.KernelList) error {
	var rows [][]string
	for _, k := range list.Kernels {
		if k.Rate == nil {
			continue
		}
		mark := ""
		if k.Default {
			mark = "*"
		}
		rows = append(rows, []string{k.Name + "/" + k.Tier, mark, number(k.Rate.Median/gb, "%.2f"), number(k.Rate.Min/gb, "%.2f"), number(k.Rate.Max/gb, "%.2f")})
	}
	if err := plainTable(w, []string{"loop", "", "median", "min", "max"}, rows); err != nil {
		return err
	}
	if err := Warnings(w, list.Warnings); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "GB/s (10^9 bytes) of one process over %s MiB, rounds interleaved; * what the name\nalone selects here. Short rounds on a busy host: a difference within the spread is none.\n", trimFloat(float64(*list.ChunkBytes)/(1<<20)))
	return err
}
