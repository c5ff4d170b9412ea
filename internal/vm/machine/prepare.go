package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wordsize/internal/vm/kimage"
)

// PrepareKernel fills out with what a machine needs from an unpacked Debian
// kernel package (boot/vmlinuz-RELEASE, lib/modules/RELEASE) and a busybox
// binary. It returns the kernel's release.
func PrepareKernel(unpacked, busybox, out string) (string, error) {
	images, err := filepath.Glob(filepath.Join(unpacked, "boot", "vmlinuz-*"))
	if err != nil {
		return "", err
	}
	if len(images) != 1 {
		return "", fmt.Errorf("%s: %d files boot/vmlinuz-*, want one", unpacked, len(images))
	}
	release := strings.TrimPrefix(filepath.Base(images[0]), "vmlinuz-")
	image, err := os.ReadFile(images[0])
	if err != nil {
		return "", err
	}
	vmlinux, err := kimage.Extract(image)
	if err != nil {
		return "", fmt.Errorf("%s: %w", images[0], err)
	}
	direct, err := kimage.BootsDirectly(vmlinux)
	if err != nil {
		return "", fmt.Errorf("%s: %w", images[0], err)
	}
	if !direct {
		vmlinux = image // the boot loader's way still works, only more slowly
	}
	if err := prepareModules(unpacked, filepath.Join(out, modulesName)); err != nil {
		return "", err
	}
	bb, err := os.ReadFile(busybox)
	if err != nil {
		return "", err
	}
	if len(appletsIn(bb)) < 10 || !slices.Contains(appletsIn(bb), "sh") {
		return "", fmt.Errorf("%s: not a busybox with a shell", busybox)
	}
	for name, b := range map[string][]byte{vmlinuxName: vmlinux, busyboxName: bb, releaseName: []byte(release + "\n")} {
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return "", err
		}
	}
	return release, nil
}

// Applets returns the names that a guest has in /bin; none where the kernel is
// not set up.
func Applets(cache string, k Kernel) []string {
	b, err := os.ReadFile(filepath.Join(kernelDir(cache, k), busyboxName))
	if err != nil {
		return nil
	}
	return append(appletsIn(b), busyboxName, "nice")
}

func prepareModules(unpacked, out string) error {
	// /lib is a link to /usr/lib in newer releases
	var dirs []string
	for _, lib := range []string{"lib", "usr/lib"} {
		found, err := filepath.Glob(filepath.Join(unpacked, lib, "modules", "*", "kernel"))
		if err != nil {
			return err
		}
		dirs = append(dirs, found...)
	}
	if len(dirs) == 0 {
		return fmt.Errorf("%s: no lib/modules/*/kernel", unpacked)
	}
	m, err := kimage.NewModules(os.DirFS(dirs[0]))
	if err != nil {
		return err
	}
	all, err := m.Closure(slices.Concat(baseModules, shareModules, cowModules)...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, mod := range all {
		if err := os.WriteFile(filepath.Join(out, mod.Name+".ko"), mod.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
