package report

import (
	"bytes"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestPeak(t *testing.T) {
	modules := func(assumed bool) *result.Modules {
		return &result.Modules{Slots: 4, Populated: 2, Channels: new(2), ChannelsAssumed: assumed, ChannelBits: 64, MegaTransfers: 533, PeakBytesPerS: new(int64(8528e6))}
	}
	for name, c := range map[string]struct {
		given  *float64
		of     *result.Modules
		kernel int // of kernelRuns
		want   string
	}{
		"unknown":         {nil, nil, 0, ""},
		"not all known":   {nil, &result.Modules{Slots: 4, Populated: 2}, 0, ""},
		"firmware's":      {nil, modules(false), 0, "22 % and 28 % of 8.528 GB/s (SMBIOS: 2 channels x 64 bits x 533 MT/s).\n"},
		"assumed":         {nil, modules(true), 0, "533 MT/s, a channel assumed for each module)"},
		"given":           {new(4e9), modules(false), 0, "48 % and 59 % of 4 GB/s (--peak).\n"},
		"with allocation": {new(4e9), nil, 1, "72 % and 89 % of 4 GB/s"},
		"too low":         {new(2e9), nil, 0, "96 % and 118 % of 2 GB/s (--peak): above it"},
	} {
		run := kernelRuns(result.ParallelProcesses)[c.kernel]
		run.Args.Peak, run.Host.Modules = c.given, c.of
		var b bytes.Buffer
		if err := Peak(&b, run); err != nil || !strings.Contains(b.String(), c.want) || (c.want == "") != (b.Len() == 0) {
			t.Errorf("%s: %q, %v, want %q", name, b.String(), err, c.want)
		}
		b.Reset()
		if err := KernelTable(&b, []*result.Run{run}); err != nil || strings.Contains(b.String(), "of peak") != (c.want != "") {
			t.Errorf("%s: %v, table\n%s", name, err, b.String())
		}
	}
}
