package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// keeps says whether the record goes to a file, so that it is wanted even if
// nobody reads standard output any more.
func (f *benchFlags) keeps() bool { return f.output != "" || f.save }

// keep saves the runs of this invocation among the others, in one file, when
// --save is given, and says where. It comes when all has been printed: whatever
// fails here costs no figure.
func (f *benchFlags) keep(runs []*result.Run, stderr io.Writer) error {
	if !f.save {
		return nil
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *result.Run) bool { return !r.Usable() })
	if len(runs) == 0 {
		fmt.Fprintln(stderr, "Not saved: no phase of the run is complete.")
		return nil
	}
	dir, err := result.SavedFolder(os.Getenv)
	if err != nil {
		return fmt.Errorf("--save: %w", result.KeepElsewhere(runs, err))
	}
	path, err := result.SaveRuns(dir, runs)
	if err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	fmt.Fprintf(stderr, "Saved: %s\n", path)
	return nil
}

const resultsHelp = `List the runs that memtest N T MB --save has kept, the last one last.

memtest compare knows them by their names: last, previous (or last~1), last~2
... They are plain files in $XDG_STATE_HOME/memtest/results, or in
~/.local/state/memtest/results: delete what is not wanted any more.`

func newResultsCommand(stdout, stderr io.Writer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "results",
		Short: "List the runs that --save has kept",
		Long:  resultsHelp,
		Args:  noArguments("results"),
		RunE: func(*cobra.Command, []string) error {
			if err := checkFormat(format, "table", "csv", "json"); err != nil {
				return err
			}
			return listResults(format, stdout, stderr)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	return cmd
}

func listResults(format string, stdout, stderr io.Writer) error {
	dir, all, errs, err := savedResults()
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	for _, e := range errs {
		fmt.Fprintf(stderr, "memtest: results: left out: %v\n", e)
	}
	list := result.ListSaved(dir, all, errs)
	switch format {
	case "csv":
		return report.SavedCSV(stdout, list)
	case "json":
		return result.WriteJSON(stdout, list)
	}
	return report.SavedTable(stdout, list)
}

// savedResults reads the folder of saved results. What is wrong with one file
// is in errs; err is when there is no looking at all.
func savedResults() (dir string, all []result.Loaded, errs []error, err error) {
	if dir, err = result.SavedFolder(os.Getenv); err != nil {
		return "", nil, nil, err
	}
	all, errs = result.Saved(dir)
	var re *result.ReadError
	if len(errs) == 1 && errors.As(errs[0], &re) && re.Name == dir {
		return dir, nil, nil, re
	}
	return dir, all, errs, nil
}

// resolveSaved replaces last, previous and last~N by the files of saved
// results. Such a name always means these: a file that is called so can be
// given as ./last.
func resolveSaved(paths []string, stderr io.Writer) ([]string, error) {
	var dir string
	var files []string
	resolved, read := make([]string, len(paths)), false
	for i, p := range paths {
		back, ok := result.ParseSavedRef(p)
		if resolved[i] = p; !ok {
			continue
		}
		if !read {
			at, all, errs, err := savedResults()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			dir, files = at, result.SavedFiles(all)
			for _, e := range errs {
				fmt.Fprintf(stderr, "memtest: not counted among the saved results: %v\n", e)
			}
			read = true
		}
		if back >= len(files) {
			return nil, fmt.Errorf("%s: of saved results there are %d in %s: memtest N T MB --save keeps one", p, len(files), dir)
		}
		resolved[i] = files[len(files)-1-back]
	}
	return resolved, nil
}
