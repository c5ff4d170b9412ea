// Package cpio writes archives in the "newc" format, the one that the Linux
// kernel unpacks as an initramfs
// (Documentation/driver-api/early-userspace/buffer-format.rst).
package cpio

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// File type bits of a mode, as in inode(7).
const (
	modeDir     = 0o040000
	modeFile    = 0o100000
	modeSymlink = 0o120000
	modeChar    = 0o020000
)

// ErrSize means that a file did not have the length it was announced with.
var ErrSize = errors.New("cpio: file length differs from the announced one")

// maxSize is the largest file the format's eight hexadecimal digits can name.
const maxSize = 1<<32 - 1

// Writer writes one archive. Names are guest paths, with or without a leading
// slash; missing parent directories are added with mode 0755. The first error
// sticks and is returned by every later call.
type Writer struct {
	w    io.Writer
	off  int64 // bytes written so far: headers and contents are padded to 4
	ino  uint32
	dirs map[string]bool
	err  error
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, dirs: map[string]bool{"": true}}
}

// Dir adds a directory with the permission bits perm, once.
func (c *Writer) Dir(name string, perm uint32) error {
	name = clean(name)
	if c.dirs[name] {
		return c.err
	}
	c.parents(name)
	c.dirs[name] = true
	c.header(name, modeDir|perm&0o7777, 0, 0, 0)
	return c.err
}

// File adds a file of size bytes, read from r.
func (c *Writer) File(name string, perm uint32, size int64, r io.Reader) error {
	name = clean(name)
	if size < 0 || size > maxSize {
		c.fail(fmt.Errorf("cpio: %s has %d bytes, more than the format's 4 GiB", name, size))
	}
	c.parents(name)
	c.header(name, modeFile|perm&0o7777, size, 0, 0)
	if c.err != nil {
		return c.err
	}
	n, err := io.CopyN(c.w, r, size)
	c.off += n
	switch {
	case errors.Is(err, io.EOF):
		c.fail(fmt.Errorf("%w: %s has %d of %d bytes", ErrSize, name, n, size))
	case err != nil:
		c.fail(fmt.Errorf("cpio: %s: %w", name, err))
	}
	c.pad()
	return c.err
}

// Bytes adds a file with the given content.
func (c *Writer) Bytes(name string, perm uint32, b []byte) error {
	return c.File(name, perm, int64(len(b)), strings.NewReader(string(b)))
}

// Symlink adds a symbolic link that points to target.
func (c *Writer) Symlink(name, target string) error {
	name = clean(name)
	c.parents(name)
	c.header(name, modeSymlink|0o777, int64(len(target)), 0, 0)
	c.write([]byte(target))
	c.pad()
	return c.err
}

// CharDevice adds a character device; unlike mknod(2) that needs no right.
func (c *Writer) CharDevice(name string, perm, major, minor uint32) error {
	name = clean(name)
	c.parents(name)
	c.header(name, modeChar|perm&0o7777, 0, major, minor)
	return c.err
}

// Close writes the trailer. It does not close the underlying writer.
func (c *Writer) Close() error {
	c.ino = 0
	c.header("TRAILER!!!", 0, 0, 0, 0)
	return c.err
}

func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

func (c *Writer) parents(name string) {
	if d := path.Dir("/" + name); d != "/" {
		_ = c.Dir(d, 0o755) // the error sticks in c.err
	}
}

// header writes the 110 bytes of a newc header, the name and its padding.
func (c *Writer) header(name string, mode uint32, size int64, major, minor uint32) {
	if c.err == nil && (name == "" || strings.ContainsRune(name, 0)) {
		c.fail(fmt.Errorf("cpio: bad name %q", name))
	}
	nlink := 1
	if mode&0o170000 == modeDir {
		nlink = 2
	}
	if mode != 0 {
		c.ino++
	}
	// magic ino mode uid gid nlink mtime filesize devmajor devminor
	// rdevmajor rdevminor namesize check
	c.write(fmt.Appendf(nil, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		c.ino, mode, 0, 0, nlink, 0, size, 0, 0, major, minor, len(name)+1, 0))
	c.write(append([]byte(name), 0))
	c.pad()
}

func (c *Writer) pad() {
	if n := -c.off & 3; n > 0 {
		c.write(make([]byte, n))
	}
}

func (c *Writer) write(b []byte) {
	if c.err != nil {
		return
	}
	n, err := c.w.Write(b)
	c.off += int64(n)
	if err != nil {
		c.fail(fmt.Errorf("cpio: %w", err))
	}
}

func (c *Writer) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
