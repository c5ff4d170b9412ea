package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FoundRecording is a file that an argument named.
type FoundRecording struct {
	Arg  int // index of the argument
	Path string
}

// recordingEndings are the names of recordings in a folder.
var recordingEndings = []string{".jsonl", ".jsonl.gz", ".jsonl.zst"}

// FindRecordings returns the files that arguments name: files, folders (the
// recordings in them), globs, and "-" for standard input. A file that is named
// twice is an error, as is an argument that names none; errors are *ReadError.
func FindRecordings(args []string) ([]FoundRecording, error) {
	var all []FoundRecording
	seen := map[string]string{}
	for i, arg := range args {
		files, err := matchRecordings(arg)
		if err != nil {
			return nil, &ReadError{arg, err}
		}
		for _, f := range files {
			key := f
			if real, err := filepath.EvalSymlinks(f); err == nil {
				key = real
			}
			if abs, err := filepath.Abs(key); err == nil && f != "-" {
				key = abs
			}
			if first, ok := seen[key]; ok {
				if first != f {
					return nil, &ReadError{f, fmt.Errorf("%w: it is the same file as %s", ErrTwice, first)}
				}
				return nil, &ReadError{f, ErrTwice}
			}
			seen[key] = f
			all = append(all, FoundRecording{i, f})
		}
	}
	return all, nil
}

func matchRecordings(arg string) (files []string, err error) {
	if arg == "-" {
		return []string{arg}, nil
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			for _, end := range recordingEndings {
				if strings.HasSuffix(e.Name(), end) {
					files = append(files, filepath.Join(arg, e.Name()))
				}
			}
		}
		if len(files) == 0 {
			return nil, errors.New("holds no recordings (*.jsonl, *.jsonl.gz, *.jsonl.zst)")
		}
		return files, nil
	case err == nil:
		return []string{arg}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	if !strings.ContainsAny(arg, "*?[") {
		return nil, errors.New("no such file or folder")
	}
	if files, err = filepath.Glob(arg); err != nil {
		return nil, fmt.Errorf("is no glob: %w", err)
	}
	if len(files) == 0 {
		return nil, errors.New("no file matches")
	}
	return files, nil
}

// ExplainNoRecording adds to ErrNoRecording what a file is instead, where that
// can be told.
func ExplainNoRecording(path string, err error) error {
	if !errors.Is(err, ErrNoRecording) {
		return err
	}
	f, openErr := os.Open(path)
	if openErr != nil {
		return err
	}
	defer f.Close()
	head, readErr := io.ReadAll(io.LimitReader(f, 4096))
	compact := bytes.Join(bytes.Fields(head), nil)
	for _, kind := range []struct{ text, name string }{
		{`"kind":"memtest`, "a record of memtest"}, {`"schema":"rsswatch-batch/`, "output of rsswatch -b"}, {`"schema":"rsswatch-report/`, "output of rsswatch report"},
	} {
		if readErr == nil && bytes.Contains(compact, []byte(kind.text)) {
			return &ReadError{path, fmt.Errorf("%w: it is %s", ErrNoRecording, kind.name)}
		}
	}
	return err
}
