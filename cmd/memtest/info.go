package main

import (
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
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
			if err := checkFormat(format, "text", "json"); err != nil {
				return err
			}
			info := &result.Info{Schema: result.RunSchema, Kind: result.InfoKind, Tool: tool("memtest"), Host: hostinfo.Read(cmd.Context(), hostinfo.DefaultFS())}
			if largest, total, err := hostinfo.AddressSpace(); err == nil {
				info.LargestMappingBytes, info.AddressSpaceBytes = &largest, &total
			}
			if format == "json" {
				return result.WriteJSON(stdout, info)
			}
			return report.Info(stdout, info)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
