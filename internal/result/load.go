package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Loaded is one run with where it was read from.
type Loaded struct {
	Arg  int    // index of the argument that named it
	File string // "-" for standard input
	Run  *Run
}

// candidate is a file that is to be read.
type candidate struct {
	arg      int
	path     string
	byFolder bool // found in a folder: records of other kinds are passed over
}

// Load reads the runs that arguments name: files, folders (their *.json, not
// of folders within), globs, and "-" for standard input. What cannot be used
// is left out and has an error, a *ReadError, in the order of the arguments.
// The same run is never returned twice.
func Load(args []string, stdin io.Reader) ([]Loaded, []error) {
	runs, _, errs := load(args, stdin, false)
	return runs, errs
}

// LoadAll is Load for curves, too.
func LoadAll(args []string, stdin io.Reader) ([]Loaded, []LoadedCurve, []error) {
	return load(args, stdin, true)
}

func load(args []string, stdin io.Reader, withCurves bool) ([]Loaded, []LoadedCurve, []error) {
	files, errs := expand(args)
	contents := make([]content, len(files))
	// Standard input is read once, by whoever names it first.
	var jobs sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		free <- struct{}{}
		jobs.Go(func() {
			contents[i] = read(f, stdin)
			<-free
		})
	}
	jobs.Wait()
	var all []Loaded
	var curves []LoadedCurve
	seen := make(map[identity]string)
	used := make(map[int]bool)
	for i, f := range files {
		c := contents[i]
		for _, run := range c.runs {
			id := identify(run)
			if first, ok := seen[id]; ok {
				errs = append(errs, located{f.arg, &ReadError{f.path, fmt.Errorf("%w: it holds the same run as %s", ErrTwice, first)}})
				continue
			}
			seen[id] = f.path
			all = append(all, Loaded{f.arg, f.path, run})
		}
		if withCurves && len(c.curves) > 0 {
			for _, curve := range c.curves {
				curves = append(curves, LoadedCurve{f.arg, f.path, curve})
			}
			used[f.arg] = true
			continue
		}
		var other *otherKindError
		if f.byFolder && errors.As(c.err, &other) {
			continue
		}
		if c.err != nil {
			errs = append(errs, located{f.arg, &ReadError{f.path, c.err}})
		}
		used[f.arg] = used[f.arg] || c.err != nil || len(c.runs) > 0
	}
	for i, f := range files { // folders that hold records of other kinds alone
		if f.byFolder && !used[f.arg] {
			used[f.arg] = true
			errs = append(errs, located{f.arg, &ReadError{filepath.Dir(files[i].path), ErrNoRecords}})
		}
	}
	slices.SortStableFunc(errs, func(a, b located) int { return a.arg - b.arg })
	plain := make([]error, len(errs))
	for i, e := range errs {
		plain[i] = e.err
	}
	return all, curves, plain
}

type content struct {
	runs   []*Run
	curves []Curve // of a file that holds curves alone; err then says that it holds no run
	err    error
}

func read(f candidate, stdin io.Reader) content {
	var b []byte
	var err error
	if f.path == "-" {
		b, err = io.ReadAll(stdin)
	} else {
		b, err = os.ReadFile(f.path)
	}
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // the file's name is said once
		}
		return content{err: fmt.Errorf("cannot be read: %w", err)}
	}
	c := content{}
	c.runs, c.err = ParseRuns(b)
	var other *otherKindError
	if errors.As(c.err, &other) && len(c.runs) == 0 && newCurve(other.kind) != nil {
		var err error
		if c.curves, err = ParseCurves(b); err != nil {
			c.curves, c.err = nil, err
		}
	}
	return c
}

// identity tells one run from another, whatever file it is in.
type identity struct {
	host, arch string
	started    int64
	elapsed    int64
	pid        int
}

func identify(r *Run) identity {
	id := identity{r.Host.Hostname, r.Tool.GOARCH, r.Started.UnixNano(), r.ElapsedNS, 0}
	for _, l := range r.Launches {
		for _, p := range l.Phases {
			for _, w := range p.Workers {
				id.pid = w.PID
				return id
			}
		}
	}
	return id
}

// located is an error of one argument.
type located struct {
	arg int
	err error
}

// expand turns arguments into files.
func expand(args []string) ([]candidate, []located) {
	var files []candidate
	var errs []located
	seen := make(map[string]string)
	for i, arg := range args {
		found, byFolder, err := match(arg)
		if err != nil {
			errs = append(errs, located{i, &ReadError{arg, err}})
		}
		for _, f := range found {
			key := f
			if real, err := filepath.EvalSymlinks(f); err == nil {
				key = real
			}
			if abs, err := filepath.Abs(key); err == nil && f != "-" {
				key = abs
			}
			if first, ok := seen[key]; ok {
				err := fmt.Errorf("%w", ErrTwice)
				if first != f {
					err = fmt.Errorf("%w: it is the same file as %s", ErrTwice, first)
				}
				errs = append(errs, located{i, &ReadError{f, err}})
				continue
			}
			seen[key] = f
			files = append(files, candidate{i, f, byFolder})
		}
	}
	return files, errs
}

// mayBeFile leaves out folders, and what reading could wait for for ever.
func mayBeFile(e fs.DirEntry) bool {
	return e.Type()&(fs.ModeDir|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0
}

// match returns the files of one argument, sorted.
func match(arg string) (files []string, byFolder bool, err error) {
	if arg == "-" {
		return []string{arg}, false, nil
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, true, fmt.Errorf("cannot be read: %w", err)
		}
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") && mayBeFile(e) {
				files = append(files, filepath.Join(arg, name))
			}
		}
		if len(files) == 0 {
			return nil, true, ErrNoRecords
		}
		return files, true, nil
	case err == nil:
		return []string{arg}, false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, false, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	if !strings.ContainsAny(arg, "*?[") {
		return nil, false, errors.New("no such file or folder")
	}
	files, err = filepath.Glob(arg)
	if err != nil {
		return nil, false, fmt.Errorf("is no glob: %w", err)
	}
	if len(files) == 0 {
		return nil, false, errors.New("no file matches")
	}
	return files, false, nil
}
