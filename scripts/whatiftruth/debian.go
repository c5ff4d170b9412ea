package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// debian fetches packages of one architecture and unpacks them into a root
// folder of its own. Nothing is installed, the host's list of architectures
// stays as it is, and root is not needed. Both architectures come from the
// same suite, one without security updates, so that their versions agree.
type debian struct {
	dir  string // build folder
	size wordSize
	log  func(format string, args ...any)
}

// The suite whose CPython is 3.11.
const suite = "bookworm"

// keyring signs the suite; apt takes its own where this file is missing.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

func (d *debian) root() string  { return filepath.Join(d.dir, "root-"+d.size.debian) }
func (d *debian) state() string { return filepath.Join(d.dir, "apt", d.size.debian) }
func (d *debian) debs() string  { return filepath.Join(d.state(), "cache", "archives") }

// mirror is where packages come from: DEBIAN_MIRROR, else Debian's own.
func mirror() string {
	if m := os.Getenv("DEBIAN_MIRROR"); m != "" {
		return m
	}
	return "http://deb.debian.org/debian"
}

func (d *debian) apt(ctx context.Context, args ...string) ([]byte, error) {
	s := d.state()
	all := []string{
		"-o", "APT::Architecture=" + d.size.debian, "-o", "APT::Architectures=" + d.size.debian,
		"-o", "Dir::State::Lists=" + s + "/lists", "-o", "Dir::State::status=" + s + "/status", "-o", "Dir::State=" + s,
		"-o", "Dir::Cache=" + s + "/cache", "-o", "Dir::Etc::sourcelist=" + s + "/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
		"-o", "Dir::Etc::preferencesparts=/dev/null", "-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=3",
		"-o", "Debug::NoLocking=1", "-qq", "-y", "--no-install-recommends",
	}
	cmd := exec.CommandContext(ctx, "apt-get", append(all, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("apt-get %s for %s: %w: %s", args[0], d.size.debian, err, lastLine(exit.Stderr))
	}
	return out, err
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

// prepare makes apt's folders and fetches the lists, once.
func (d *debian) prepare(ctx context.Context) error {
	for _, p := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(d.state(), p), 0o755); err != nil {
			return err
		}
	}
	source := "deb "
	if _, err := os.Stat(keyring); err == nil {
		source += "[signed-by=" + keyring + "] "
	}
	source += mirror() + " " + suite + " main\n"
	for name, text := range map[string]string{"sources.list": source, "status": ""} {
		if err := os.WriteFile(filepath.Join(d.state(), name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if lists, _ := filepath.Glob(filepath.Join(d.state(), "lists", "*_Packages*")); len(lists) > 0 {
		return nil
	}
	d.log("package lists for %s", d.size.debian)
	_, err := d.apt(ctx, "update")
	return err
}

// install unpacks packages and all that they depend on, and returns the
// names of the files they came in.
func (d *debian) install(ctx context.Context, packages []string) ([]string, error) {
	note := filepath.Join(d.state(), "resolved-"+fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(packages, " "))))[:16])
	if b, err := os.ReadFile(note); err == nil {
		return strings.Fields(string(b)), nil
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	uris, err := d.apt(ctx, append([]string{"install", "--print-uris"}, packages...)...)
	if err != nil {
		return nil, err
	}
	names := archiveNames(string(uris))
	d.log("%d packages for %s: %s", len(names), d.size.debian, strings.Join(packages, " "))
	if _, err := d.apt(ctx, append([]string{"install", "--download-only"}, packages...)...); err != nil {
		return nil, err
	}
	for _, n := range names {
		if err := d.unpack(ctx, n); err != nil {
			return nil, err
		}
	}
	return names, os.WriteFile(note, []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

// archiveNames picks the files' names out of apt-get --print-uris, whose
// lines are: 'URI' NAME SIZE HASH.
func archiveNames(uris string) []string {
	var names []string
	for line := range strings.Lines(uris) {
		if f := strings.Fields(line); len(f) >= 3 && strings.HasPrefix(f[0], "'") && strings.HasSuffix(f[1], ".deb") {
			names = append(names, f[1])
		}
	}
	slices.Sort(names)
	return names
}

func (d *debian) unpack(ctx context.Context, name string) error {
	done := filepath.Join(d.state(), "unpacked", name)
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := d.skeleton(); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", filepath.Join(d.debs(), name), d.root()).CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb -x %s: %w: %s", name, err, lastLine(out))
	}
	if err := os.MkdirAll(filepath.Dir(done), 0o755); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o644)
}

// skeleton makes what packages get from their installation scripts.
func (d *debian) skeleton() error {
	for _, p := range []string{"dev", "proc", "etc", "run", "corpus", "config", "programs", "bin", "tmp", "var/log/nginx", "var/lib/nginx"} {
		if err := os.MkdirAll(filepath.Join(d.root(), p), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(d.root(), "tmp"), 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"etc/passwd": fmt.Sprintf("root:x:0:0::/tmp:/bin/sh\nplain:x:%d:%d::/tmp:/bin/sh\nuser:x:%d:%d::/tmp:/bin/sh\n", plainUser, plainUser, os.Getuid(), os.Getgid()),
		"etc/group":  "root:x:0:\nplain:x:65534:\n",
		"etc/hosts":  "127.0.0.1 localhost\n",
	} {
		if err := os.WriteFile(filepath.Join(d.root(), name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.Symlink("dash", filepath.Join(d.root(), "bin", "sh")); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// plainUser is who runs programs that refuse root: nobody of Debian.
const plainUser = 65534
