package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The magic numbers of RFC 1952 (gzip) and RFC 8878 (Zstandard).
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// zstdWindow bounds the memory of both sides: lines of one recording resemble
// the ones shortly before.
const zstdWindow = 1 << 20

// decompress returns a reader of plain text, whatever r holds, by its first
// bytes. closer may be nil.
func decompress(r io.Reader) (plain io.Reader, closer io.Closer, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: gzip: %w", ErrTruncated, err)
		}
		return z, z, nil
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: zstd: %w", ErrTruncated, err)
		}
		return z, z.IOReadCloser(), nil
	}
	return in, nil, nil
}

// OpenRecording opens a recording, compressed or not. Errors are *ReadError.
func OpenRecording(path string) (*RecordingReader, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the file's name is said once
		}
		return nil, &ReadError{path, fmt.Errorf("cannot be read: %w", err)}
	}
	rr, err := NewRecordingReader(f)
	if err != nil {
		f.Close()
		return nil, &ReadError{path, err}
	}
	rr.closers = append(rr.closers, f)
	return rr, nil
}

// RecordingFile is a file that is written as it goes. What was written can be
// read back after Flush, and from a plain file at once.
type RecordingFile struct {
	path string
	file *os.File
	zip  compressor // nil for plain text
}

type compressor interface {
	io.WriteCloser
	Flush() error
}

// CreateRecording makes a new file for a recording, compressed when its name
// ends in .gz or .zst. It fails with an error that is fs.ErrExist when there is
// such a file and replace is false, and with ErrFolder when it is a folder.
// With replace the old file goes at once, and not before the new one is there.
func CreateRecording(path string, replace bool) (*RecordingFile, error) {
	real := followLinks(path)
	f := &RecordingFile{path: real}
	st, err := os.Stat(real)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("%q %w: want a file's name", path, ErrFolder)
	case err == nil && !st.Mode().IsRegular(): // a pipe or a device
		f.file, err = os.OpenFile(real, os.O_WRONLY, 0)
	case err == nil && !replace:
		return nil, &existsError{path}
	case err == nil:
		f.file, err = replaceFile(real, st.Mode().Perm())
	case errors.Is(err, fs.ErrNotExist):
		f.file, err = os.OpenFile(real, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write there: %w", err)
	}
	switch {
	case strings.HasSuffix(path, ".gz"):
		f.zip = gzip.NewWriter(f.file)
	case strings.HasSuffix(path, ".zst"):
		f.zip, err = zstd.NewWriter(f.file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		if err != nil {
			f.file.Close()
			return nil, err
		}
	}
	return f, nil
}

// replaceFile puts a new, empty file into the place of an old one. Whoever has
// the old one open keeps it.
func replaceFile(path string, mode fs.FileMode) (*os.File, error) {
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Chmod(mode), os.Rename(f.Name(), path)); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// Path is where the file is: what was asked for, links followed.
func (f *RecordingFile) Path() string { return f.path }

// Write appends.
func (f *RecordingFile) Write(b []byte) (int, error) {
	if f.zip != nil {
		return f.zip.Write(b)
	}
	return f.file.Write(b)
}

// Flush makes all that was written readable.
func (f *RecordingFile) Flush() error {
	if f.zip != nil {
		return f.zip.Flush()
	}
	return nil
}

// Close ends the file.
func (f *RecordingFile) Close() error {
	var err error
	if f.zip != nil {
		err = f.zip.Close()
	}
	return errors.Join(err, f.file.Close())
}
