package kimage

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ErrNoModule means that a kernel has no module of the wanted name; it may be
// built in.
var ErrNoModule = errors.New("no such kernel module")

// Modules finds modules below a folder such as lib/modules/RELEASE/kernel.
type Modules struct {
	fsys  fs.FS
	paths map[string]string // by name, '-' written as '_'
}

// NewModules lists the modules of a tree.
func NewModules(fsys fs.FS) (*Modules, error) {
	m := &Modules{fsys: fsys, paths: map[string]string{}}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base, _, ok := strings.Cut(path.Base(p), ".ko"); ok && !d.IsDir() {
			m.paths[canonical(base)] = p
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("kernel modules: %w", err)
	}
	return m, nil
}

// canonical is the form in which the kernel itself names modules.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// Module is one module, uncompressed.
type Module struct {
	Name string
	Data []byte
}

// Closure returns the named modules and all that they depend on, in an order
// in which they can be loaded.
func (m *Modules) Closure(names ...string) ([]Module, error) {
	var all []Module
	seen := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		name = canonical(name)
		if seen[name] {
			return nil
		}
		seen[name] = true
		b, err := m.read(name)
		if err != nil {
			return err
		}
		deps, err := Depends(b)
		if err != nil {
			return fmt.Errorf("module %s: %w", name, err)
		}
		for _, d := range deps {
			if err := add(d); err != nil {
				return fmt.Errorf("module %s needs %s: %w", name, d, err)
			}
		}
		all = append(all, Module{name, b})
		return nil
	}
	for _, n := range names {
		if err := add(n); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (m *Modules) read(name string) ([]byte, error) {
	p, ok := m.paths[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoModule, name)
	}
	b, err := fs.ReadFile(m.fsys, p)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", name, err)
	}
	for _, f := range Formats {
		if !bytes.HasPrefix(b, []byte(f.Magic)) {
			continue
		}
		if b, err = (Payload{f, b}).Unpack(); err != nil {
			return nil, fmt.Errorf("module %s: %w", name, err)
		}
		break
	}
	return b, nil
}

// Depends returns the modules that a module needs, as its .modinfo section
// says (the line "depends=a,b").
func Depends(module []byte) ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	s := f.Section(".modinfo")
	if s == nil {
		return nil, errors.New("no .modinfo section: not a kernel module")
	}
	b, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf(".modinfo: %w", err)
	}
	return dependsOf(b), nil
}

func dependsOf(modinfo []byte) []string {
	var deps []string
	for kv := range strings.SplitSeq(string(modinfo), "\x00") {
		if v, ok := strings.CutPrefix(kv, "depends="); ok {
			for d := range strings.SplitSeq(v, ",") {
				if d != "" {
					deps = append(deps, d)
				}
			}
		}
	}
	return deps
}
