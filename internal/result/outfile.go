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
	if err := o.fill(write); err != nil {
		return err
	}
	return o.put(o.path)
}

// fill writes the content under the other name.
func (o *OutFile) fill(write func(io.Writer) error) error {
	err := errors.Join(write(o.tmp), o.tmp.Sync(), o.tmp.Close())
	if err == nil {
		return nil
	}
	var other *fs.PathError // names a file that nobody knows
	if errors.As(err, &other) {
		err = other.Err
	}
	return keepElsewhere(filepath.Ext(o.path), write, fmt.Errorf("%s: %w", o.path, err))
}

// put gives a filled file its name. When that fails, it stays under the other
// name, so that nothing is lost.
func (o *OutFile) put(path string) (err error) {
	tmp := o.tmp.Name()
	if o.replace {
		err = os.Rename(tmp, path)
	} else {
		err = moveNew(tmp, path)
	}
	o.tmp = nil
	if err != nil {
		return fmt.Errorf("%w; the record is in %s", err, tmp)
	}
	return nil
}

// moveNew renames a file, but to a name that is free: else the error is
// fs.ErrExist, whoever else is at it.
func moveNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: take the name first.
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// keepElsewhere puts content that cannot be written to its place into the
// folder for temporary files. The error says why, and where it is.
func keepElsewhere(ext string, write func(io.Writer) error, why error) error {
	f, err := os.CreateTemp("", "memtest-*"+ext)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		if f != nil {
			os.Remove(f.Name()) // half of it helps nobody
		}
		return fmt.Errorf("%w; nor elsewhere: %w: the record is lost", why, err)
	}
	return fmt.Errorf("%w; the record is in %s", why, f.Name())
}

// Discard removes what Save did not put into its place.
func (o *OutFile) Discard() {
	if o.tmp != nil {
		o.tmp.Close()
		os.Remove(o.tmp.Name())
		o.tmp = nil
	}
}
