package result

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SavedListKind tells the record of memtest results.
const SavedListKind = "memtest-results"

// SavedList is what is in the folder of saved results.
type SavedList struct {
	Schema   int            `json:"schema"`
	Kind     string         `json:"kind"`
	Folder   string         `json:"folder"`
	Results  []SavedResult  `json:"results"` // in order of time
	Unusable []UnusableFile `json:"unusable,omitempty"`
}

// SavedResult is one saved run in short. Runs of several loops that were made
// at once are in one file and have one Ref.
type SavedResult struct {
	Ref         string    `json:"ref"` // what memtest compare knows it by, such as last~2
	File        string    `json:"file"`
	Started     time.Time `json:"started"`
	Hostname    string    `json:"hostname"`
	Version     string    `json:"version"` // of memtest
	GOARCH      string    `json:"goarch"`
	Kernel      string    `json:"kernel"` // NAME/TIER of the loop
	Processes   int       `json:"processes"`
	MinTimeNS   int64     `json:"min_time_ns"`
	ChunkBytes  int64     `json:"chunk_bytes"`
	Launches    int       `json:"launches"` // complete ones
	Repeat      int       `json:"repeat"`   // asked for
	Single      *float64  `json:"single_bytes_per_s,omitempty"`
	Parallel    *float64  `json:"parallel_bytes_per_s,omitempty"` // aggregate; both medians over launches
	Warnings    []string  `json:"warning_codes"`
	Interrupted bool      `json:"interrupted"`
}

// UnusableFile is a file among the saved results that is none.
type UnusableFile struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// ListSaved describes what Saved has found in a folder.
func ListSaved(dir string, all []Loaded, errs []error) *SavedList {
	list := &SavedList{Schema: RunSchema, Kind: SavedListKind, Folder: dir, Results: []SavedResult{}}
	files := SavedFiles(all)
	back := make(map[string]int) // files after this one
	for i, f := range files {
		back[f] = len(files) - 1 - i
	}
	for _, l := range all {
		r := l.Run
		s := SavedResult{
			Ref: SavedRef(back[l.File]), File: l.File, Started: r.Started, Hostname: r.Host.Hostname, Version: r.Tool.Version, GOARCH: r.Tool.GOARCH,
			Kernel: r.Kernel.Name + "/" + r.Kernel.Tier, Processes: r.Args.Processes, MinTimeNS: r.Args.MinTimeNS, ChunkBytes: r.Args.ChunkBytes,
			Repeat: r.Args.Repeat, Warnings: []string{}, Interrupted: r.Interrupted || r.Error != "",
		}
		s.Single, s.Parallel = medianAggregate(r, PhaseSingle), medianAggregate(r, PhaseParallel)
		s.Launches = completeLaunches(r)
		for _, w := range r.Warnings {
			s.Warnings = append(s.Warnings, w.Code)
		}
		list.Results = append(list.Results, s)
	}
	for _, err := range errs {
		var re *ReadError
		if errors.As(err, &re) {
			list.Unusable = append(list.Unusable, UnusableFile{re.Name, re.Err.Error()})
		}
	}
	return list
}

// medianAggregate returns the median over launches of a phase's aggregate, nil
// when there is none.
func medianAggregate(r *Run, phase string) *float64 {
	rates := r.Aggregates(phase)
	if len(rates) == 0 {
		return nil
	}
	return new(SpreadOf(rates).Median)
}

// completeLaunches counts the launches whose parallel phase is there.
func completeLaunches(r *Run) (n int) {
	for _, l := range r.Launches {
		for i := range l.Phases {
			if l.Phases[i].Summary != nil && l.Phases[i].Name == PhaseParallel {
				n++
			}
		}
	}
	return n
}

// SavedRef names the saved file that is so many before the last.
func SavedRef(back int) string {
	if back == 0 {
		return "last"
	}
	return fmt.Sprintf("last~%d", back)
}

// ParseSavedRef reads last, previous (last~1) or last~N and returns how many
// before the last that is; ok is false for anything else.
func ParseSavedRef(s string) (back int, ok bool) {
	switch s {
	case "last":
		return 0, true
	case "previous":
		return 1, true
	}
	digits, ok := strings.CutPrefix(s, "last~")
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil
}
