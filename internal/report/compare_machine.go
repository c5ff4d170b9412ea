package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// CompareCSV writes a row for each figure of each group, under a header that
// names the units. Cells of absent values are empty.
func CompareCSV(w io.Writer, c *result.Comparison) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"kernel", "tier", "processes", "chunk_bytes", "pages", "phase", "metric", "group", "baseline", "n", "median", "lo", "hi",
		"change", "p", "p_holm", "significant", "outlier_score", "numa",
	})
	if err != nil {
		return err
	}
	for _, r := range c.Rows {
		for g, cell := range r.Cells {
			err := cw.Write([]string{
				r.Kernel, r.Tier, strconv.Itoa(r.Processes), strconv.FormatInt(r.ChunkBytes, 10), r.Pages, r.Phase, r.Metric,
				c.Groups[g].Name, c.Baseline, strconv.Itoa(cell.N), exact(cell.Median), exact(cell.Lo), exact(cell.Hi),
				exact(cell.Change), exact(cell.P), exact(cell.PHolm), strconv.FormatBool(cell.Significant), exact(cell.Score), r.NUMA,
			})
			if err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

// exact writes all digits of a value, nothing for an absent one.
func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// Bench writes runs in the Go benchmark format, a line a phase of a launch,
// for benchstat and its kin: goarch, host and cpu are configuration, what the
// figures must share to be compared is in the name.
func Bench(w io.Writer, runs []*result.Run) error {
	if _, err := fmt.Fprint(w, "Unit B/s better=higher assume=nothing\nUnit process-B/s better=higher assume=nothing\n"); err != nil {
		return err
	}
	for _, run := range runs {
		for _, kv := range [][2]string{{"goos", run.Tool.GOOS}, {"goarch", run.Tool.GOARCH}, {"host", run.Host.Hostname}, {"cpu", run.Host.CPU.Model}} {
			// An empty value unsets what an earlier record has set.
			if _, err := fmt.Fprintf(w, "%s: %s\n", kv[0], printable(kv[1])); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("BenchmarkMemtest/kernel=%s/tier=%s/n=%d/mb=%s/pages=%s", run.Kernel.Name, run.Kernel.Tier,
			run.Args.Processes, trimFloat(float64(run.Args.ChunkBytes)/(1<<20)), run.Args.Pages)
		if run.Args.NUMA != "" && run.Args.NUMA != result.NUMADefault {
			name += "/numa=" + run.Args.NUMA
		}
		name = printable(strings.Join(strings.Fields(name), "_"))
		for _, l := range run.Launches {
			for i := range l.Phases {
				if err := benchLine(w, name, &l.Phases[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func benchLine(w io.Writer, name string, p *result.Phase) error {
	if p.Summary == nil {
		return nil
	}
	line := fmt.Sprintf("%s/phase=%s %d", name, p.Name, max(1, p.Passes))
	if a := p.Summary.Aggregate; a != nil {
		line += " " + exact(a) + " B/s"
	}
	_, err := fmt.Fprintf(w, "%s %s process-B/s\n", line, exact(&p.Summary.PerProcess.Median))
	return err
}
