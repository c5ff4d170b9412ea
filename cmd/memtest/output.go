package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wordsize/internal/result"
)

// outputFile is where -o puts the record: written beside its place under
// another name and put there whole, so that no reader ever sees half a file
// and no failure costs the old one. It is opened before the measurement, for
// then a wrong path costs nothing.
type outputFile struct {
	path      string
	overwrite bool
	tmp       *os.File // nil when path is not a plain file
	direct    *os.File // a device or pipe: written as it is
}

func newOutputFile(path string, overwrite bool) (*outputFile, error) {
	o := &outputFile{path: path, overwrite: overwrite}
	if path == "" {
		return o, nil
	}
	if path == "-" {
		return nil, usagef("-o: want a file's name; --format json writes the record to standard output")
	}
	path = followLinks(path)
	o.path = path
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return nil, usagef("-o: %q is a folder: want a file's name", path)
	case err == nil && !st.Mode().IsRegular():
		if o.direct, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, usagef("-o: %w", err)
		}
		return o, nil
	case err == nil && !overwrite:
		return nil, usagef("-o: %q exists: want another name, or --overwrite", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, usagef("-o: %w", err)
	}
	if o.tmp, err = createBeside(path); err != nil {
		return nil, usagef("-o: cannot write there: %w", err)
	}
	if st != nil { // the file that will be replaced keeps its mode
		err = o.tmp.Chmod(st.Mode().Perm())
	}
	return o, err
}

// followLinks returns what a chain of symbolic links points to, which need not
// exist, so that the link stays and its target is written.
func followLinks(path string) string {
	for range 40 { // the kernel's own limit
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

// createBeside makes a new file in path's folder, with the mode that the
// process' umask gives to new files.
func createBeside(path string) (*os.File, error) {
	for i := range 1000 {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.%d.tmp", filepath.Base(path), os.Getpid(), i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// save writes the record to its place; it does nothing without -o.
func (o *outputFile) save(run *result.Run) error {
	if o.direct != nil {
		return errors.Join(result.WriteJSON(o.direct, run), o.direct.Close())
	}
	if o.tmp == nil {
		return nil
	}
	tmp := o.tmp.Name()
	err := errors.Join(result.WriteJSON(o.tmp, run), o.tmp.Sync(), o.tmp.Close())
	if err != nil {
		return o.rescue(run, err)
	}
	if o.overwrite {
		err = os.Rename(tmp, o.path)
	} else if err = os.Link(tmp, o.path); err == nil { // refuses to replace
		err = os.Remove(tmp)
	} else if !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp, o.path) // a file system without links
	}
	if err != nil {
		o.tmp = nil // keep it: nothing is lost
		return fmt.Errorf("-o: %w; the record is in %s", err, tmp)
	}
	o.tmp = nil
	return nil
}

// rescue keeps the record elsewhere when it cannot be written to its place.
func (o *outputFile) rescue(run *result.Run, why error) error {
	f, err := os.CreateTemp("", "memtest-*.json")
	if err == nil {
		err = errors.Join(result.WriteJSON(f, run), f.Close())
	}
	if err != nil {
		return fmt.Errorf("-o: %s: %w; nor elsewhere: %w: the record is lost", o.path, why, err)
	}
	return fmt.Errorf("-o: %s: %w; the record is in %s", o.path, why, f.Name())
}

// discard removes what save did not put into its place.
func (o *outputFile) discard() {
	if o.tmp != nil {
		o.tmp.Close()
		os.Remove(o.tmp.Name())
	}
}
