package result

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoStateFolder is the error of an environment that names no folder for
// state.
var ErrNoStateFolder = errors.New("neither XDG_STATE_HOME nor HOME names a folder")

// SavedFolder returns where memtest --save keeps records: memtest/results in
// the folder for state, as the XDG Base Directory Specification has it. getenv
// is os.Getenv outside of tests.
func SavedFolder(getenv func(string) string) (string, error) {
	// The specification wants relative paths ignored.
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "memtest", "results"), nil
	}
	home := getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir() // systems that call it otherwise
	}
	if !filepath.IsAbs(home) {
		return "", ErrNoStateFolder
	}
	return filepath.Join(home, ".local", "state", "memtest", "results"), nil
}

// SaveRuns writes the runs of one invocation, one of each loop, into one file
// of a folder, which is made if need be, and returns its path: time, host and
// build of the first, so that names sort by time. The name is taken when the
// record is complete, and only if it is free, however many runs end at once.
// When all that fails, the record is kept elsewhere and the error says where.
func SaveRuns(dir string, runs []*Run) (string, error) {
	path := filepath.Join(dir, savedName(runs[0], 1))
	err := os.MkdirAll(dir, 0o700) // the mode that XDG wants
	o := &OutFile{path: path}
	if err == nil {
		o.tmp, err = createBeside(path)
	}
	if err != nil {
		return "", KeepElsewhere(runs, err)
	}
	defer o.Discard()
	if err := o.fill(runWriter(runs)); err != nil {
		return "", err
	}
	tmp := o.tmp.Name()
	const most = 1000
	for i := 1; ; i++ {
		path = filepath.Join(dir, savedName(runs[0], i))
		if err = moveNew(tmp, path); !errors.Is(err, fs.ErrExist) || i == most {
			break
		}
	}
	if o.tmp = nil; err != nil {
		return "", fmt.Errorf("%w; the record is in %s", err, tmp)
	}
	return path, nil
}

// KeepElsewhere writes runs that cannot be saved, for a reason that is given,
// into the folder for temporary files; the error that it returns has both.
func KeepElsewhere(runs []*Run, why error) error {
	return keepElsewhere(".json", runWriter(runs), why)
}

func runWriter(runs []*Run) func(io.Writer) error {
	return func(w io.Writer) error { return WriteRuns(w, runs, len(runs) > 1) }
}

// savedName is the i-th name for a run, counted from 1.
func savedName(run *Run, i int) string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, run.Host.Hostname)
	if host == "" {
		host = "unknown"
	}
	const most = 64 // what a host's name has on Linux; a file's may have 255
	name := fmt.Sprintf("%s-%s-%s", run.Started.UTC().Format("20060102T150405.000Z"), host[:min(len(host), most)], run.Tool.GOARCH)
	if i > 1 {
		name += fmt.Sprintf("-%d", i)
	}
	return name + ".json"
}

// Saved returns the runs that are kept in a folder, files in order of their
// first run's time, and an error for each file that cannot be used, as Load has
// them. A folder that does not exist holds none.
func Saved(dir string) ([]Loaded, []error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all, errs := Load([]string{dir}, nil)
	errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, ErrNoRecords) })
	first := make(map[string]time.Time) // of each file
	for _, l := range all {
		if at, ok := first[l.File]; !ok || l.Run.Started.Before(at) {
			first[l.File] = l.Run.Started
		}
	}
	slices.SortStableFunc(all, func(a, b Loaded) int {
		return cmp.Or(first[a.File].Compare(first[b.File]), strings.Compare(a.File, b.File), a.Run.Started.Compare(b.Run.Started))
	})
	return all, errs
}

// SavedFiles returns the files of saved runs, each once, in their order.
func SavedFiles(all []Loaded) (files []string) {
	for _, l := range all {
		if len(files) == 0 || files[len(files)-1] != l.File {
			files = append(files, l.File)
		}
	}
	return files
}
