package hostinfo

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// maxFile bounds what is read of one kernel file, in bytes. The longest of
// them, /proc/self/mountinfo on a host with thousands of mounts, stays below.
const maxFile = 4 << 20

// FS is where the kernel's files are read from, so that tests can point it at
// a captured tree.
type FS struct {
	Proc string // procfs, normally /proc
	Sys  string // sysfs, normally /sys
	Etc  string // os-release and its relatives, normally /etc; not read when empty
}

// DefaultFS returns the running system's own /proc, /sys and /etc.
func DefaultFS() FS {
	return FS{Proc: "/proc", Sys: "/sys", Etc: "/etc"}
}

// live tells whether fs describes the running Linux kernel, so that system
// calls and CPUID may complete what the files say.
func (fs FS) live() bool {
	return runtime.GOOS == "linux" && fs == DefaultFS()
}

func (fs FS) proc(elem ...string) string {
	return filepath.Join(append([]string{fs.Proc}, elem...)...)
}

func (fs FS) sys(elem ...string) string {
	return filepath.Join(append([]string{fs.Sys}, elem...)...)
}

// cpuFile is the path of a file of one CPU's directory in sysfs.
func (fs FS) cpuFile(cpu int, elem ...string) string {
	return fs.sys("devices/system/cpu", "cpu"+strconv.Itoa(cpu), filepath.Join(elem...))
}

// hostPath maps an absolute path of the host, such as a mount point, into the
// tree: below Sys when the path is in /sys, otherwise beside it.
func (fs FS) hostPath(path string) string {
	if path == "/sys" || strings.HasPrefix(path, "/sys/") {
		return fs.sys(strings.TrimPrefix(path, "/sys"))
	}
	return filepath.Join(filepath.Dir(filepath.Clean(fs.Sys)), path)
}

// readHead reads at most n bytes from the start of a file. Kernel files have
// no size that could be asked for first.
func readHead(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

func readFile(path string) ([]byte, error) { return readHead(path, maxFile) }

// readText returns a file's text without the white space around it, or ""
// when it cannot be read.
func readText(path string) string {
	b, err := readFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// readInt returns the number that is a file's whole text; absent when the
// file cannot be read or is no number.
func readInt(path string) *int {
	n, err := strconv.Atoi(readText(path))
	if err != nil {
		return nil
	}
	return &n
}

// readUint returns the unsigned number that is a file's whole text.
func readUint(path string) (uint64, error) {
	b, err := readFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// parseKeys reads lines of the form "key number", as in memory.stat,
// cpu.stat and vmstat. Lines of another form are left out.
func parseKeys(b []byte) map[string]uint64 {
	m := make(map[string]uint64)
	for line := range strings.Lines(string(b)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil {
			m[key] = n
		}
	}
	return m
}

// readKeys is parseKeys of a file; empty when it cannot be read.
func readKeys(path string) map[string]uint64 {
	b, err := readFile(path)
	if err != nil {
		return nil
	}
	return parseKeys(b)
}

// keyOf returns the value of a key, absent when the key is.
func keyOf(m map[string]uint64, key string) *uint64 {
	if v, ok := m[key]; ok {
		return &v
	}
	return nil
}

// bracketed returns the chosen word of a line such as
// "always [madvise] never", and "" when there is none.
func bracketed(s string) string {
	_, rest, ok := strings.Cut(s, "[")
	if !ok {
		return ""
	}
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return ""
	}
	return word
}

// linesOf yields the lines of a file, none when it cannot be read.
func linesOf(path string) iter.Seq[string] {
	b, err := readFile(path)
	if err != nil {
		return func(func(string) bool) {}
	}
	return strings.Lines(string(b))
}

// cutField splits a line "name: value", in which any white space may precede
// the colon, and returns the value if the name is the wanted one.
func cutField(line, name string) (value string, ok bool) {
	key, value, ok := strings.Cut(line, ":")
	if !ok || strings.TrimSpace(key) != name {
		return "", false
	}
	return strings.TrimSpace(value), true
}
