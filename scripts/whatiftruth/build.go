package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// builder makes the programs of both word sizes ready to run.
type builder struct {
	dir    string // build folder
	repo   string // the repository
	corpus string // folder of the sources
	log    func(format string, args ...any)
}

// built is one program, ready to run.
type built struct {
	root    string // folder to run in; "" for the host's own
	args    []string
	version string // hash of all that decides what the program does
}

// build makes one side of a pair.
func (b *builder) build(ctx context.Context, p *pair, size wordSize) (*built, error) {
	h := sha256.New()
	fmt.Fprintln(h, "2", p.name, p.args, p.stdin, p.listens, p.worker, p.setup, p.loadID)
	out := &built{args: slices.Clone(p.args)}
	var names []string
	if len(p.packages) > 0 {
		d := &debian{dir: b.dir, size: size, log: b.log}
		var err error
		if names, err = d.install(ctx, p.packages); err != nil {
			return nil, err
		}
		out.root = d.root()
	}
	switch {
	case p.goMain != "":
		file := filepath.Join(b.dir, "programs", p.goMain+"-"+size.goarch)
		if err := b.goBuild(ctx, p.goMain, size.goarch, file); err != nil {
			return nil, err
		}
		out.args = append([]string{file}, p.args...)
		if err := hashFile(h, file); err != nil {
			return nil, err
		}
	case p.cSource != "":
		file := filepath.Join(out.root, "programs", p.name)
		if err := b.compile(ctx, p, size, out.root, file); err != nil {
			return nil, err
		}
		if err := hashFile(h, file); err != nil {
			return nil, err
		}
	}
	if p.cSource == "" {
		// which compiler's headers were there does not matter; which libraries do
		fmt.Fprintln(h, names)
	}
	if err := b.hashScripts(h, p); err != nil {
		return nil, err
	}
	out.version = hex.EncodeToString(h.Sum(nil))[:16]
	return out, nil
}

func (b *builder) goBuild(ctx context.Context, main, arch, file string) error {
	b.log("go build %s for %s", main, arch)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", file, "./scripts/whatiftruth/corpus/"+main)
	cmd.Dir = b.repo
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=", "GO386=", "GOAMD64=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s for %s: %w: %s", main, arch, err, lastLine(out))
	}
	return nil
}

// compile runs the host's gcc against headers and libraries of the unpacked
// packages, so that it needs no multilib packages.
func (b *builder) compile(ctx context.Context, p *pair, size wordSize, root, file string) error {
	compiler, triplet, cxx := "gcc", "x86_64-linux-gnu", strings.HasSuffix(p.cSource, ".cc")
	lib := "x86_64-linux-gnu"
	if size.bits == 32 {
		triplet, lib = "i386-linux-gnu", "i686-linux-gnu"
	}
	if cxx {
		compiler = "g++"
	}
	gcc := root + "/usr/lib/gcc/" + lib + "/12"
	args := []string{size.cflag, "-O2", "-g0", "-fPIE", "-pie", "--sysroot=" + root, "-B" + gcc, "-B" + root + "/usr/lib/" + triplet, "-L" + gcc,
		"-isystem", root + "/usr/include/" + triplet, "-I" + b.corpus + "/c"}
	if p.fixed {
		args = append(args, "-fno-PIE", "-no-pie")
	}
	if cxx {
		args = append(args, "-nostdinc++", "-isystem", root+"/usr/include/c++/12", "-isystem", root+"/usr/include/"+triplet+"/c++/12")
	}
	args = append(args, "-o", file, filepath.Join(b.corpus, "c", p.cSource))
	b.log("%s %s %s", compiler, size.cflag, p.cSource)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s %s: %w: %s", compiler, size.cflag, p.cSource, err, out)
	}
	return nil
}

// hashScripts adds the files that a program reads from the corpus.
func (b *builder) hashScripts(w io.Writer, p *pair) error {
	folder := ""
	for _, a := range slices.Concat(p.args, []string{p.stdin}) {
		switch {
		case strings.Contains(a, "python/"):
			folder = "python"
		case strings.Contains(a, "servers/"), strings.HasPrefix(a, "@CONFIG@"):
			folder = "servers"
		}
	}
	if folder == "" {
		return nil
	}
	return filepath.WalkDir(filepath.Join(b.corpus, folder), func(path string, d fs.DirEntry, err error) error {
		base := strings.TrimSuffix(d.Name(), filepath.Ext(d.Name()))
		own := strings.Contains(strings.Join(p.args, " ")+p.stdin, d.Name())
		shared := base == "stage" || base == "site_setup"
		if err != nil || d.IsDir() || !own && !shared {
			return err
		}
		return hashFile(w, path)
	})
}

func hashFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
