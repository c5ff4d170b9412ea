package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const chaseHelp = `Measure how long following a pointer takes in this build.

Nodes of a native pointer and a native int (16 bytes in 64-bit builds, 8 in
32-bit ones) are linked into one cycle in random order, from a list that fits
into the first cache to one far beyond the last. Each launch is a process of its
own. A 32-bit list of as many nodes stays in a cache for longer.`

const chaseExamples = `  memtest chase                        the whole curve
  memtest chase --nodes 1k,1M,16M --repeat 10
  memtest chase --plot chase.svg -o chase.json
  scripts/cross-arch.sh chase          both word sizes in one plot`

type chaseFlags struct {
	nodes, pin, pages, format, output, plot string
	repeat                                  int
	force, quiet, overwrite                 bool
}

func newChaseCommand(stdout, stderr io.Writer) *cobra.Command {
	var f chaseFlags
	cmd := &cobra.Command{
		Use:     "chase",
		Short:   "Measure nanoseconds a hop over linked nodes of native pointers",
		Long:    chaseHelp,
		Example: chaseExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("chase: want no arguments; got %s", quoted(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), stdout, stderr) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.nodes, "nodes", "", "`LENGTHS` of the lists, with commas; k is 1000, M 1000k (from 256 to four last-level caches)")
	fl.IntVar(&f.repeat, "repeat", 7, "launches, each a sample")
	fl.StringVar(&f.pin, "pin", "auto", "bind to a CPU: auto, none or its `NUMBER`")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	fl.StringVar(&f.format, "format", "table", "standard output: table, markdown, csv or json")
	fl.StringVar(&f.plot, "plot", "", "also draw the curve into `FILE`, .svg or .png")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o and --plot replace files that exist")
	fl.BoolVar(&f.force, "force", false, "run even if the lists seem not to fit into memory")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// config validates the flags.
func (f *chaseFlags) config(allowed []int) (cfg membench.ChaseConfig, err error) {
	if f.nodes != "" {
		if cfg.Nodes, err = parseElements("--nodes", f.nodes); err != nil {
			return cfg, err
		}
	}
	const most = 10000
	if f.repeat < 1 || f.repeat > most {
		return cfg, usagef("--repeat: %d is not right: want a number of launches from 1 to %d", f.repeat, most)
	}
	if formats := []string{"table", "markdown", "csv", "json"}; !slices.Contains(formats, f.format) {
		return cfg, &membench.ArgError{Name: "--format", Value: f.format, Want: "table, markdown, csv or json"}
	}
	if f.plot != "" && !strings.HasSuffix(f.plot, ".svg") && !strings.HasSuffix(f.plot, ".png") {
		return cfg, &membench.ArgError{Name: "--plot", Value: f.plot, Want: "a file's name that ends in .svg or .png"}
	}
	if cfg.Pin, err = membench.ParsePin(unshield(f.pin), allowed); err != nil {
		return cfg, err
	}
	if cfg.Pages, err = membench.ParsePages(f.pages); err != nil {
		return cfg, err
	}
	cfg.Repeat, cfg.Force = f.repeat, f.force
	return cfg, nil
}

func (f *chaseFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	file, err := newOutputFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	figure, err := newFigureFile(f.plot, f.overwrite)
	if err != nil {
		return err
	}
	defer figure.discard()
	root := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, root)
	env := membench.ChaseEnv{Env: membench.Env{FS: root, Host: &host, Tool: tool("memtest")}}
	if isTerminal(stderr) && !f.quiet {
		defer clearLine(stderr)
		env.Progress = func(launch int) {
			fmt.Fprintf(stderr, "\r\x1b[K%s", shorten(fmt.Sprintf("chase: launch %d of %d", launch+1, cfg.Repeat), width(stderr)))
		}
	}
	record, runErr := membench.Chase(ctx, cfg, env)
	if env.Progress != nil {
		clearLine(stderr)
	}
	if runErr != nil {
		var arg *membench.ArgError
		if errors.As(runErr, &arg) {
			return runErr
		}
		runErr = fmt.Errorf("chase: %w", runErr)
		record.Error = runErr.Error()
		if len(record.Launches) == 0 {
			return runErr
		}
	}
	report.SummarizeChase(record)
	report.FillTexts(record.Warnings)
	if f.format == "csv" {
		report.Warnings(stderr, record.Warnings) // the record has them too
	}
	return firstError(runErr, writeChase(stdout, f.format, record),
		file.write(func(w io.Writer) error { return result.WriteJSON(w, record) }),
		figure.draw(report.ChaseFigure(record)))
}

// figureFile is where --plot puts a figure; without --plot it is nil and does
// nothing.
type figureFile struct{ file *result.OutFile }

func newFigureFile(path string, overwrite bool) (*figureFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := result.NewOutFile(path, overwrite)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, usagef("--plot: %w: want another name, or --overwrite", err)
	case err != nil:
		return nil, usagef("--plot: %w", err)
	}
	return &figureFile{file}, nil
}

// draw writes a figure in the format that the file's name asks for.
func (o *figureFile) draw(fig *plot.Figure) error {
	if o == nil {
		return nil
	}
	write := fig.WriteSVG
	if strings.HasSuffix(o.file.Path(), ".png") {
		write = func(w io.Writer) error { return fig.WritePNG(w, 2) }
	}
	if err := o.file.Save(write); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// discard removes what draw did not put into its place.
func (o *figureFile) discard() {
	if o != nil {
		o.file.Discard()
	}
}

func writeChase(w io.Writer, format string, record *result.Chase) error {
	switch format {
	case "markdown":
		return report.ChaseMarkdown(w, record)
	case "csv":
		return report.ChaseCSV(w, record)
	case "json":
		return result.WriteJSON(w, record)
	}
	return report.ChaseTable(w, record)
}
