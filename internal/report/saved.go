package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// SavedTable lists saved results, the last one last: beside the prompt.
func SavedTable(w io.Writer, list *result.SavedList) error {
	if len(list.Results) == 0 {
		_, err := fmt.Fprintf(w, "No saved results in %s: memtest N T MB --save keeps one.\n", printable(list.Folder))
		return err
	}
	var rows [][]string
	for _, r := range list.Results {
		launches := fmt.Sprint(r.Launches)
		if r.Launches != r.Repeat {
			launches += fmt.Sprintf(" of %d", r.Repeat)
		}
		rows = append(rows, []string{
			r.Ref, r.Started.UTC().Format("2006-01-02 15:04:05"), printable(r.Hostname), printable(r.GOARCH), printable(r.Kernel),
			fmt.Sprintf("%d x %s MiB", r.Processes, trimFloat(float64(r.ChunkBytes)/(1<<20))),
			launches, gigabytes(r.Single), gigabytes(r.Parallel), fmt.Sprint(len(r.Warnings)),
		})
	}
	if err := plainTable(w, []string{"", "started (UTC)", "host", "build", "loop", "size", "launches", "single", "parallel", "warnings"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "single, parallel: GB/s (10^9 bytes) of one and of all processes, medians over launches.\nThe files are in %s; compare two: memtest compare previous last\n", printable(list.Folder))
	return err
}

func gigabytes(rate *float64) string {
	if rate == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *rate/gb)
}

// SavedCSV writes a row a saved result, in order of time, under a header that
// names the units. Cells of absent values are empty.
func SavedCSV(w io.Writer, list *result.SavedList) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"ref", "file", "started", "host", "version", "goarch", "kernel", "processes", "min_time_ns", "chunk_bytes", "launches", "repeat",
		"single_bytes_per_s", "parallel_bytes_per_s", "warning_codes", "interrupted",
	})
	if err != nil {
		return err
	}
	for _, r := range list.Results {
		err := cw.Write([]string{
			r.Ref, r.File, r.Started.UTC().Format("2006-01-02T15:04:05.000Z"), r.Hostname, r.Version, r.GOARCH, r.Kernel, strconv.Itoa(r.Processes),
			strconv.FormatInt(r.MinTimeNS, 10), strconv.FormatInt(r.ChunkBytes, 10), strconv.Itoa(r.Launches), strconv.Itoa(r.Repeat),
			exact(r.Single), exact(r.Parallel), strings.Join(r.Warnings, " "), strconv.FormatBool(r.Interrupted),
		})
		if err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}
