package main

import (
	"fmt"
	"strconv"
	"strings"
)

// usage is what smaps_rollup says of one process (proc_pid_smaps(5)), in
// bytes.
type usage struct {
	RSS     int64 `json:"rss_bytes"`
	Private int64 `json:"private_bytes"` // Private_Clean + Private_Dirty
	PSS     int64 `json:"pss_bytes"`
}

// parseRollup reads smaps_rollup. All three figures have to be there.
func parseRollup(text string) (usage, error) {
	want := map[string]int64{"Rss": -1, "Pss": -1, "Private_Clean": -1, "Private_Dirty": -1}
	for line := range strings.Lines(text) {
		key, rest, ok := strings.Cut(line, ":")
		if _, known := want[key]; !ok || !known {
			continue
		}
		f := strings.Fields(rest)
		if len(f) != 2 || f[1] != "kB" {
			return usage{}, fmt.Errorf("smaps_rollup: %s: want N kB, got %q", key, strings.TrimSpace(rest))
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || n < 0 {
			return usage{}, fmt.Errorf("smaps_rollup: %s: %q is no size", key, f[0])
		}
		want[key] = n << 10
	}
	for key, n := range want {
		if n < 0 {
			return usage{}, fmt.Errorf("smaps_rollup: no %s", key)
		}
	}
	return usage{RSS: want["Rss"], Private: want["Private_Clean"] + want["Private_Dirty"], PSS: want["Pss"]}, nil
}
