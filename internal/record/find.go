package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The exit statuses of a command that cannot be run, as POSIX has them for
// shells and env(1).
const (
	StatusNotExecutable = 126
	StatusNotFound      = 127
)

// StartError is why a command cannot be run.
type StartError struct {
	Name   string
	Status int // StatusNotExecutable or StatusNotFound
	Err    error
}

func (e *StartError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

var errNoCommand = errors.New("there is no such command")

// Find looks a command up as execvp(3) does: a name without a slash in the
// folders of path. Errors are *StartError.
func Find(name, path string) (string, error) {
	if name == "" {
		return "", &StartError{`""`, StatusNotFound, errNoCommand}
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", startError(name, err)
		}
		return name, nil
	}
	var denied error
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		file := dir + string(filepath.Separator) + name
		err := executable(file)
		if err == nil {
			return file, nil
		}
		// A folder that may not be searched says nothing of the command.
		if _, missing := os.Stat(file); missing == nil && denied == nil {
			denied = startError(file, err)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &StartError{name, StatusNotFound, fmt.Errorf("%w in PATH", errNoCommand)}
}

// executable checks what exec(2) would.
func executable(file string) error {
	st, err := os.Stat(file)
	switch {
	case err != nil:
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return err
	case st.IsDir():
		return errors.New("is a folder")
	}
	return mayExecute(file, st)
}

// startError tells a missing command from one that cannot be executed.
func startError(name string, err error) error {
	status := StatusNotExecutable
	if errors.Is(err, fs.ErrNotExist) {
		status = StatusNotFound
	}
	return &StartError{name, status, err}
}
