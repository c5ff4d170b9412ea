package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// OutFile is a file that appears whole or not at all: it is written beside
// its place under another name and put there when complete, so that no reader
// ever sees half of it and no failure costs the old one. It is opened before
// the work whose outcome it will hold, for then a wrong path costs nothing.
type OutFile struct {
	path    string
	replace bool
	tmp     *os.File // nil when path is not a plain file
	direct  *os.File // a device or pipe: written as it is
}

// NewOutFile prepares to write path. It fails with an error that is
// fs.ErrExist when there is such a file and replace is false, and with
// ErrFolder when it is a folder. Symbolic links are followed.
func NewOutFile(path string, replace bool) (*OutFile, error) {
	path = followLinks(path)
	o := &OutFile{path: path, replace: replace}
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("%q %w: want a file's name", path, ErrFolder)
	case err == nil && !st.Mode().IsRegular():
		o.direct, err = os.OpenFile(path, os.O_WRONLY, 0)
		return o, err
	case err == nil && !replace:
		return nil, &existsError{path}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if o.tmp, err = createBeside(path); err != nil {
		return nil, fmt.Errorf("cannot write there: %w", err)
	}
	if st != nil { // the file that will be replaced keeps its mode
		if err := o.tmp.Chmod(st.Mode().Perm()); err != nil {
			o.Discard()
			return nil, err
		}
	}
	return o, nil
}

// ErrFolder is the error of an output path that is a folder.
var ErrFolder = errors.New("is a folder")

type existsError struct{ path string }

func (e *existsError) Error() string        { return fmt.Sprintf("%q exists", e.path) }
func (e *existsError) Is(target error) bool { return target == fs.ErrExist }

// Path is where the file will be: what was asked for, links followed.
func (o *OutFile) Path() string { return o.path }

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

// Save writes the content and puts the file into its place. When that fails,
// the content is kept elsewhere, and the error says where.
func (o *OutFile) Save(write func(io.Writer) error) error {
	if o.direct != nil {
		return errors.Join(write(o.direct), o.direct.Close())
	}
	tmp := o.tmp.Name()
	err := errors.Join(write(o.tmp), o.tmp.Sync(), o.tmp.Close())
	if err != nil {
		return o.rescue(write, err)
	}
	if o.replace {
		err = os.Rename(tmp, o.path)
	} else if err = os.Link(tmp, o.path); err == nil { // refuses to replace
		err = os.Remove(tmp)
	} else if !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp, o.path) // a file system without links
	}
	o.tmp = nil
	if err != nil { // the other name is kept: nothing is lost
		return fmt.Errorf("%w; the record is in %s", err, tmp)
	}
	return nil
}

// rescue keeps the content elsewhere when it cannot be written to its place.
func (o *OutFile) rescue(write func(io.Writer) error, why error) error {
	f, err := os.CreateTemp("", "memtest-*"+filepath.Ext(o.path))
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w; nor elsewhere: %w: the record is lost", o.path, why, err)
	}
	return fmt.Errorf("%s: %w; the record is in %s", o.path, why, f.Name())
}

// Discard removes what Save did not put into its place.
func (o *OutFile) Discard() {
	if o.tmp != nil {
		o.tmp.Close()
		os.Remove(o.tmp.Name())
		o.tmp = nil
	}
}
