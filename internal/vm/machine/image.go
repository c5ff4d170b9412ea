package machine

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wordsize/internal/vm/cpio"
	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/kimage"
)

// Names in the cache's folder of one kernel.
const (
	vmlinuxName = "vmlinux"
	releaseName = "release"
	busyboxName = "busybox"
	modulesName = "modules"
)

// Hostname is the guest's.
const Hostname = "wordsize-vm"

// kernelDir is the cache's folder of one kernel.
func kernelDir(cache string, k Kernel) string { return filepath.Join(cache, "kernels", k.Name) }

// baseModules are what the channel needs; the others are added on demand. The
// kernel has the serial console and /dev/port built in.
var (
	baseModules  = []string{"virtio_pci", "virtio_console"}
	shareModules = []string{"9pnet_virtio", "9p"}
	cowModules   = []string{"overlay"}
)

// etcFiles make programs that look for users and hosts feel at home. There is
// no network but the loopback, hence no resolv.conf.
var etcFiles = map[string]string{
	"/etc/passwd": "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/:/bin/false\n" +
		"user:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
	"/etc/group":         "root:x:0:\ndaemon:x:1:\ntty:x:5:\nuser:x:1000:\nnogroup:x:65534:\n",
	"/etc/hosts":         "127.0.0.1 localhost " + Hostname + "\n::1 localhost\n",
	"/etc/hostname":      Hostname + "\n",
	"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	"/etc/os-release":    "ID=wordsize-vm\nNAME=\"wordsize virtual machine\"\nPRETTY_NAME=\"wordsize virtual machine (Debian kernel)\"\n",
}

// guestPath is where commands are looked for in the guest; all of its folders
// are one.
const guestPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// DefaultEnv is the environment of a command.
var DefaultEnv = []string{"PATH=" + guestPath, "HOME=/root", "TMPDIR=/tmp", "USER=root", "LOGNAME=root", "SHELL=/bin/sh", "TERM=dumb", "LANG=C"}

// writeImage writes the initramfs of a machine.
func writeImage(w *cpio.Writer, c *Config) error {
	for _, d := range []string{"/proc", "/sys", "/dev", "/root", "/home/user", "/mnt", "/run", "/var/tmp",
		"/usr/local/bin", guest.OutDir, guest.WorkDir} {
		_ = w.Dir(d, 0o755) // the writer keeps its first error until Close
	}
	for _, j := range c.Jobs {
		if !inShares(j.Dir, c.Shares) { // there it has to exist
			_ = w.Dir(j.Dir, 0o755)
		}
	}
	_ = w.Dir("/tmp", 0o1777)
	_ = w.CharDevice("/dev/console", 0o600, 5, 1)
	for _, name := range slices.Sorted(maps.Keys(etcFiles)) {
		_ = w.Bytes(name, 0o644, []byte(etcFiles[name]))
	}
	_ = w.Symlink("/etc/mtab", "/proc/self/mounts")
	if err := addFile(w, "/init", c.Init, 0o755); err != nil {
		return err
	}
	dir := kernelDir(c.Cache, c.Kernel)
	if err := addBusybox(w, filepath.Join(dir, busyboxName)); err != nil {
		return err
	}
	spec, err := newSpec(c)
	if err != nil {
		return err
	}
	if spec.Modules, err = addModules(w, filepath.Join(dir, modulesName), c.Shares); err != nil {
		return err
	}
	for _, f := range c.Files {
		if err := addTree(w, f); err != nil {
			return err
		}
	}
	b, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	_ = w.Bytes(guest.SpecPath, 0o600, b)
	return w.Close()
}

func newSpec(c *Config) (guest.Spec, error) {
	s := guest.Spec{Hostname: Hostname, Jobs: c.Jobs, Seed: make([]byte, 64)}
	if _, err := rand.Read(s.Seed); err != nil {
		return s, err
	}
	for i, sh := range c.Shares {
		s.Mounts = append(s.Mounts, guest.Mount{Tag: tag(i), Path: sh.Guest, Mode: sh.Mode})
	}
	return s, nil
}

// notLinked are applets that the guest is better off without: they speak to an
// init that isn't there, look for a package database, or compress in name only.
var notLinked = strings.Fields("busybox init linuxrc halt poweroff reboot dpkg dpkg-deb rpm xz lzma nice")

// addBusybox packs busybox and its links. /usr/bin, /sbin and /usr/sbin are
// the same folder as /bin.
func addBusybox(w *cpio.Writer, name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_ = w.Bytes("/bin/busybox", 0o755, b)
	_ = w.Symlink("/usr/bin", "../bin")
	_ = w.Symlink("/usr/sbin", "../bin")
	_ = w.Symlink("/sbin", "bin")
	_ = w.Symlink("/bin/nice", "/init") // which Debian's busybox lacks
	for _, a := range appletsIn(b) {
		_ = w.Symlink("/bin/"+a, "busybox")
	}
	return nil
}

// appletsIn returns the names in a busybox binary's table of commands that get
// a link of their own: names that each end with NUL, in order, from "[" on.
func appletsIn(busybox []byte) []string {
	i := bytes.Index(busybox, []byte("\x00[\x00[[\x00"))
	if i < 0 {
		return nil
	}
	var have []string
	last := ""
	for rest := busybox[i+1:]; ; {
		name, after, ok := bytes.Cut(rest, []byte{0})
		if !ok || string(name) <= last {
			return have
		}
		last, rest = string(name), after
		if !slices.Contains(notLinked, last) {
			have = append(have, last)
		}
	}
}

// addModules packs the modules that the machine needs and returns their paths
// in the guest, in load order.
func addModules(w *cpio.Writer, dir string, shares []Share) ([]string, error) {
	m, err := kimage.NewModules(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	names := slices.Clone(baseModules)
	if len(shares) > 0 {
		names = append(names, shareModules...)
	}
	if slices.ContainsFunc(shares, func(s Share) bool { return s.Mode == guest.CopyOnWrite }) {
		names = append(names, cowModules...)
	}
	all, err := m.Closure(names...)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, mod := range all {
		p := "/vm/modules/" + mod.Name + ".ko"
		_ = w.Bytes(p, 0o644, mod.Data)
		paths = append(paths, p)
	}
	return paths, nil
}

// addFile packs one file; mode 0 takes the host's.
func addFile(w *cpio.Writer, guestPath, host string, mode fs.FileMode) error {
	f, err := os.Open(host)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if mode == 0 {
		mode = st.Mode().Perm()
	}
	return w.File(guestPath, uint32(mode), st.Size(), f)
}

// addTree packs a file, or a folder with all that is in it.
func addTree(w *cpio.Writer, f File) error {
	return filepath.WalkDir(f.Host, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(f.Host, name)
		if err != nil {
			return err
		}
		to := path.Join(f.Guest, filepath.ToSlash(rel))
		st, err := os.Stat(name)
		if name != f.Host {
			st, err = d.Info() // links inside of a folder stay links
		}
		switch {
		case err != nil:
			return err
		case st.IsDir():
			return w.Dir(to, uint32(st.Mode().Perm()))
		case st.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return w.Symlink(to, target)
		case st.Mode().IsRegular():
			return addFile(w, to, name, 0)
		}
		return usagef("--file %s: %s is neither file, folder nor link", f.Host, name)
	})
}

// ErrNoKernel means that the cache holds no (complete) kernel.
var ErrNoKernel = errors.New("kernel not set up")

// Release returns the release of the cached kernel, as uname -r says.
func Release(cache string, k Kernel) (string, error) {
	b, err := os.ReadFile(filepath.Join(kernelDir(cache, k), releaseName))
	if err != nil {
		return "", fmt.Errorf("%w: %w: run scripts/vm/setup.sh", ErrNoKernel, err)
	}
	return strings.TrimSpace(string(b)), nil
}
