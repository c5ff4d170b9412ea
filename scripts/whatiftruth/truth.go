package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// truth is what a pair was measured to take, in bytes: medians of launches.
type truth struct {
	Program  string  `json:"program"`
	Key      string  `json:"key"` // of the cache
	Where    string  `json:"where"`
	Wide     usage   `json:"wide"`
	Narrow   usage   `json:"narrow"`
	Launches int     `json:"launches"`
	Spread   float64 `json:"spread_points"` // of the RSS, in percent of the 64-bit median: how far single launches differ
}

// Where the 32-bit program ran.
const (
	whereNative = "native"
	whereGuest  = "guest"
)

// newTruth takes the medians of the launches.
func newTruth(program, key, where string, wides, narrows []usage) truth {
	t := truth{Program: program, Key: key, Where: where, Wide: medianUsage(wides), Narrow: medianUsage(narrows), Launches: min(len(wides), len(narrows))}
	for _, side := range [][]usage{wides, narrows} {
		lo, hi := side[0].RSS, side[0].RSS
		for _, u := range side {
			lo, hi = min(lo, u.RSS), max(hi, u.RSS)
		}
		t.Spread = max(t.Spread, percent(hi-lo, t.Wide.RSS))
	}
	return t
}

func medianUsage(all []usage) usage {
	pick := func(get func(usage) int64) int64 {
		v := make([]int64, len(all))
		for i, u := range all {
			v[i] = get(u)
		}
		return medianInt(v)
	}
	return usage{
		RSS:     pick(func(u usage) int64 { return u.RSS }),
		Private: pick(func(u usage) int64 { return u.Private }),
		PSS:     pick(func(u usage) int64 { return u.PSS }),
	}
}

// medianInt returns the middle one, of an even number the mean of the two.
func medianInt(v []int64) int64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return v[n/2-1] + (v[n/2]-v[n/2-1])/2
}

func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// cache keeps truths, a file for each program and place. A truth of another version of
// the program, or measured elsewhere, is not returned.
type cache struct{ dir string }

func (c cache) file(program, where string) string {
	return filepath.Join(c.dir, program+"-"+where+".json")
}

// get reports false where there is no truth of that key.
func (c cache) get(program, where, key string) (truth, bool, error) {
	b, err := os.ReadFile(c.file(program, where))
	if errors.Is(err, fs.ErrNotExist) {
		return truth{}, false, nil
	}
	if err != nil {
		return truth{}, false, err
	}
	var t truth
	if err := json.Unmarshal(b, &t); err != nil || t.Program != program || t.Key != key || t.Wide.RSS <= 0 || t.Narrow.RSS <= 0 {
		return truth{}, false, nil // half a file or another version: measured again
	}
	return t, true, nil
}

func (c cache) put(t truth) error {
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	tmp := c.file(t.Program, t.Where) + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, c.file(t.Program, t.Where)); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}
