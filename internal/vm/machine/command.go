package machine

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Program says where the command of a machine comes from.
type Program struct {
	Path  string // in the guest: a path, or a name to look up in PATH
	Host  string // file of the host to pack at Path, or ""
	Build string // command of this module (cmd/NAME) to build and pack, or ""
}

// guestPrefix marks a path that is meant to be the guest's.
const guestPrefix = "guest:"

// binDir is where commands of the host are packed; it is in the guest's PATH.
const binDir = "/usr/local/bin"

// ResolveCommand decides what a command's name means:
//
//   - guest:PATH is a path in the guest.
//   - A path that the guest has (busybox, --file, --share) is the guest's.
//   - A path with a slash that exists on the host is packed: a static binary
//     that the kernel can run, or a script.
//   - The name of a folder below root/cmd is built and packed.
//   - Any other name is looked up in the guest's PATH.
func ResolveCommand(name, root string, o *Options) (Program, error) {
	if p, ok := strings.CutPrefix(name, guestPrefix); ok {
		return Program{Path: p}, nil
	}
	if !strings.Contains(name, "/") {
		if st, err := os.Stat(filepath.Join(root, "cmd", name)); err == nil && st.IsDir() && name != "" && name != ".." && name != "." {
			return Program{Path: binDir + "/" + name, Build: name}, nil
		}
		return Program{Path: name}, nil
	}
	if strings.HasPrefix(name, "/") && inGuest(name, o) {
		return Program{Path: name}, nil
	}
	st, err := os.Stat(name)
	switch {
	case err != nil && strings.HasPrefix(name, "/"):
		return Program{Path: name}, nil // the guest says if it isn't there either
	case err != nil:
		return Program{}, usagef("%v", err)
	case !st.Mode().IsRegular():
		return Program{}, usagef("%s is not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return Program{}, usagef("%v", err)
	}
	defer f.Close()
	if err := runnable(f, o.Kernel); err != nil {
		return Program{}, usagef("%s %v", name, err)
	}
	return Program{Path: path.Join(binDir, filepath.Base(name)), Host: name}, nil
}

// inGuest reports whether the guest has a path of its own.
func inGuest(name string, o *Options) bool {
	name = path.Clean(name)
	for _, f := range o.Files {
		if name == f.Guest || strings.HasPrefix(name, strings.TrimSuffix(f.Guest, "/")+"/") {
			return true
		}
	}
	if inShares(name, o.Shares) {
		return true
	}
	return slices.Contains([]string{"/bin", "/usr/bin", "/sbin", "/usr/sbin"}, path.Dir(name)) &&
		slices.Contains(o.Applets, path.Base(name))
}

// inShares reports whether a path of the guest lies in a shared folder.
func inShares(name string, shares []Share) bool {
	return slices.ContainsFunc(shares, func(s Share) bool {
		return strings.HasPrefix(name+"/", strings.TrimSuffix(s.Guest, "/")+"/")
	})
}

// goarchOf names the architectures of which a kernel may run binaries.
var goarchOf = map[elf.Machine]string{elf.EM_386: "386", elf.EM_X86_64: "amd64", elf.EM_ARM: "arm", elf.EM_AARCH64: "arm64"}

// canRun says why a kernel doesn't run binaries of an architecture.
func (k Kernel) canRun(goarch string) error {
	if slices.Contains(k.Runs, goarch) {
		return nil
	}
	return fmt.Errorf("the %s kernel runs %s binaries, not %s ones", k.Name, strings.Join(k.Runs, " and "), goarch)
}

// runnable says why a file cannot be run in a guest that has no libraries.
func runnable(f io.ReaderAt, k Kernel) error {
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if bytes.HasPrefix(magic[:], []byte("#!")) {
		return nil
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return fmt.Errorf(`is neither an ELF binary nor a script (no "#!" at its start)`)
	}
	goarch := goarchOf[e.Machine]
	if goarch == "" {
		goarch = e.Machine.String()
	}
	if err := k.canRun(goarch); err != nil {
		return fmt.Errorf("is built for %s: %w", goarch, err)
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("is linked dynamically, and the guest has no libraries: build it with CGO_ENABLED=0 or -static")
		}
	}
	return nil
}
