package main

import (
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

func newInfoCommand(stdout io.Writer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Print what is known of this host",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("info: want no arguments; got %s", quoted(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := &result.Info{Schema: result.RunSchema, Kind: result.InfoKind, Tool: tool("memtest"), Host: hostinfo.Read(cmd.Context(), hostinfo.DefaultFS())}
			if largest, total, err := hostinfo.AddressSpace(); err == nil {
				info.LargestMappingBytes, info.AddressSpaceBytes = &largest, &total
			}
			switch format {
			case "json":
				return result.WriteJSON(stdout, info)
			case "text":
				return report.Info(stdout, info)
			}
			return &membench.ArgError{Name: "--format", Value: format, Want: "text or json"}
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
