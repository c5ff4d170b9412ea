// Package gotest collects the test binaries of `go test`, so that they can all
// be run in one virtual machine, and reports their results as `go test` would.
package gotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Job is one test binary with the arguments `go test` gave it.
type Job struct {
	Import string   `json:"import"` // import path of the package under test
	Dir    string   `json:"dir"`    // its folder: the working directory of its tests
	Binary string   `json:"binary"`
	Args   []string `json:"args"`
}

// recordName is the file that completes a collected job's folder.
const recordName = "job.json"

// Collect is what `go test -exec` runs in place of a test binary: it keeps the
// binary and its arguments in a new folder below dir. cwd is the package's.
func Collect(dir, cwd string, command []string) error {
	if len(command) == 0 {
		return errors.New("no test binary given")
	}
	imp, err := importPath(cwd)
	if err != nil {
		return err
	}
	sub, err := os.MkdirTemp(dir, "job-")
	if err != nil {
		return err
	}
	j := Job{Import: imp, Dir: cwd, Binary: filepath.Join(sub, filepath.Base(command[0])), Args: command[1:]}
	if err := keep(command[0], j.Binary); err != nil {
		return err
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(sub, recordName), b, 0o644)
}

// keep links or, on another file system, copies a binary that `go test` is
// about to remove.
func keep(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// Collected returns the jobs below dir, in the order of their folders.
func Collected(dir string) ([]Job, error) {
	names, err := filepath.Glob(filepath.Join(dir, "job-*", recordName))
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			return nil, err
		}
		var j Job
		if err := json.Unmarshal(b, &j); err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		jobs = append(jobs, j)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return strings.Compare(a.Dir, b.Dir) })
	return jobs, nil
}

// importPath finds the import path of a folder from the go.mod above it.
func importPath(dir string) (string, error) {
	root, err := ModuleRoot(dir)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", err
	}
	return path.Join(modulePath(string(b)), filepath.ToSlash(rel)), nil
}

// modulePath returns the path in a go.mod's module line.
func modulePath(mod string) string {
	for line := range strings.Lines(mod) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), "\"`")
		}
	}
	return "?"
}

// ModuleRoot returns the nearest folder at or above dir that holds a go.mod.
func ModuleRoot(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("no go.mod in or above %s", dir)
		}
	}
}

// GuestArgs adapts a test binary's arguments to a run in another machine. The
// log of opened files is left out, because `go test` would use it to cache the
// result, without knowing which kernel it came from. With events, the output
// carries the marks by which `go tool test2json` tells it from a test's own.
func GuestArgs(args []string, events bool) []string {
	var out []string
	if events {
		out = append(out, "-test.v=test2json")
	}
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		switch {
		case name == "test.testlogfile":
		case events && (name == "test.v" || name == "test.gocoverdir"):
		default:
			out = append(out, a)
		}
	}
	return out
}

// OutputDirs returns the folders of the host, outside of the binary's own,
// that the arguments make a test binary write to: -test.outputdir where a
// profile is asked for.
func OutputDirs(args []string) []string {
	var dirs []string
	writes := false
	for _, a := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch name {
		case "test.outputdir":
			dirs = append(dirs, value)
		case "test.cpuprofile", "test.memprofile", "test.blockprofile", "test.mutexprofile", "test.trace":
			writes = true
		}
	}
	if !writes {
		return nil
	}
	return dirs
}

// Env picks from the host's environment what a test should see in the guest:
// Go's run-time variables, language and time zone, and the names in pass. The
// Go tool's own folders don't exist there.
func Env(host []string, pass string) []string {
	dropped := strings.Fields("GOCACHE GOMODCACHE GOPATH GOROOT GOBIN GOTMPDIR GOENV GOTOOLDIR GOCOVERDIR GOMOD GOWORK GOPROXY GOSUMDB GOFLAGS")
	wanted := strings.FieldsFunc(pass, func(r rune) bool { return r == ' ' || r == ',' })
	var out []string
	for _, kv := range host {
		name, _, _ := strings.Cut(kv, "=")
		isGo := strings.HasPrefix(name, "GO") && !slices.Contains(dropped, name)
		if isGo || name == "TZ" || name == "LANG" || strings.HasPrefix(name, "LC_") || slices.Contains(wanted, name) {
			out = append(out, kv)
		}
	}
	return out
}
