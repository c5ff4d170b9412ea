package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// defaultMeasure is the chunk that kernels --measure takes unless told.
const defaultMeasure = "256"

func newKernelsCommand(stdout io.Writer) *cobra.Command {
	var measure, force bool
	var format string
	cmd := &cobra.Command{
		Use:   "kernels [--measure [MB]]",
		Short: "List the loops, what is usable here and why not; or time and rank them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, "text", "json"); err != nil {
				return err
			}
			if len(args) > 1 || len(args) == 1 && !measure {
				return usagef("want no argument, or --measure and one MB; got %s", quoted(args))
			}
			list := listKernels()
			if measure {
				mb := defaultMeasure
				if len(args) == 1 {
					mb = unshield(args[0])
				}
				if err := measureKernels(cmd.Context(), list, mb, force); err != nil {
					return err
				}
			}
			if format == "json" {
				return result.WriteJSON(stdout, list)
			}
			return report.Kernels(stdout, list)
		},
	}
	cmd.Flags().BoolVar(&measure, "measure", false, "time each loop for a moment, over MB x 2^20 bytes (256), and rank them")
	cmd.Flags().BoolVar(&force, "force", false, "measure even if the chunk seems not to fit into memory")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func listKernels() *result.KernelList {
	list := &result.KernelList{Schema: result.RunSchema, Kind: result.KernelsKind, Tool: tool("memtest")}
	for _, k := range kernel.Table() {
		best, _ := k.Best()
		for _, t := range k.Tiers {
			list.Kernels = append(list.Kernels, entry(kernel.Variant{Kernel: k, Tier: t}, best.Name))
		}
	}
	return list
}

func entry(v kernel.Variant, best string) result.KernelEntry {
	reason := v.Tier.Unusable()
	return result.KernelEntry{
		Name: v.Kernel.Name, Tier: v.Tier.Name, Doc: v.Kernel.Doc, TierDoc: v.Tier.Doc, WriteAllocate: v.Tier.WriteAllocate,
		Usable: reason == "", Reason: reason, Default: reason == "" && v.Tier.Name == best,
	}
}

// measureKernels replaces the list by the usable ones, fastest first.
func measureKernels(ctx context.Context, list *result.KernelList, mb string, force bool) error {
	bytes, err := membench.ParseChunk(mb)
	if err != nil {
		return err
	}
	host := hostinfo.Read(ctx, hostinfo.DefaultFS())
	if !force {
		if err := membench.ReadRoom(&host, membench.PagesDefault).Fit(1, bytes); err != nil {
			return err
		}
	}
	rates, err := membench.Measure(ctx, bytes)
	if err != nil {
		return err
	}
	list.ChunkBytes = &bytes
	list.Warnings = membench.ChunkWarnings(&host, bytes)
	report.FillTexts(list.Warnings)
	list.Kernels = nil
	for _, r := range rates {
		best, _ := r.Variant.Kernel.Best()
		e := entry(r.Variant, best.Name)
		e.Rate = &r.Rate
		list.Kernels = append(list.Kernels, e)
	}
	return nil
}
