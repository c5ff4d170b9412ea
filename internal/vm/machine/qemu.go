package machine

import (
	"fmt"
	"strings"

	"wordsize/internal/vm/guest"
)

// Qemu is the program that runs the machine, and the Debian package it is in.
const (
	Qemu    = "qemu-system-x86_64"
	QemuPkg = "qemu-system-x86"
)

// kernelParams makes the guest quick, quiet and alike from boot to boot
// (Documentation/admin-guide/kernel-parameters.txt). A panic reboots, which
// -no-reboot turns into the end of qemu.
const kernelParams = "console=ttyS0 panic=-1 nokaslr mitigations=off quiet loglevel=4 audit=0 apparmor=0 " +
	"cryptomgr.notests=1 random.trust_cpu=on print-fatal-signals=1 no_timer_check noisapnp selinux=0"

// plumbing are the paths at which qemu finds its files and file descriptors.
type plumbing struct {
	kernel    string // path of vmlinux
	initrd    string // path of the initramfs
	consoleFD int    // socket for the kernel's messages
	channelFD int    // socket for package wire
	kvm       bool
}

// qemuArgs returns qemu's arguments.
func qemuArgs(c *Config, p plumbing) []string {
	accel := "tcg"
	if p.kvm {
		accel = "kvm"
	}
	a := []string{
		"-M", "pc", "-accel", accel, "-cpu", c.CPU,
		"-m", fmt.Sprint(c.MemMiB), "-smp", fmt.Sprint(c.SMP),
		"-nodefaults", "-no-user-config", "-display", "none", "-vga", "none", "-nic", "none", "-monitor", "none",
		"-no-reboot",
		"-chardev", fmt.Sprintf("socket,id=console,fd=%d", p.consoleFD), "-serial", "chardev:console",
		"-device", "virtio-serial-pci",
		"-chardev", fmt.Sprintf("socket,id=channel,fd=%d", p.channelFD),
		"-device", "virtserialport,chardev=channel,name=" + guest.PortName,
		"-device", fmt.Sprintf("isa-debug-exit,iobase=%#x,iosize=0x04", guest.DebugPort),
	}
	a = append(a, numaArgs(c)...)
	for i, s := range c.Shares {
		ro := "on"
		if s.Mode == guest.ReadWrite {
			ro = "off"
		}
		a = append(a, "-fsdev", fmt.Sprintf("local,id=fs%d,path=%s,security_model=none,multidevs=remap,readonly=%s",
			i, qemuEscape(s.Host), ro),
			"-device", fmt.Sprintf("virtio-9p-pci,fsdev=fs%d,mount_tag=%s", i, tag(i)))
	}
	return append(a, "-kernel", p.kernel, "-initrd", p.initrd,
		"-append", strings.TrimSpace(kernelParams+" "+c.Append))
}

// qemuEscape doubles commas, which separate options.
func qemuEscape(s string) string { return strings.ReplaceAll(s, ",", ",,") }

// tag names the i-th shared folder.
func tag(i int) string { return fmt.Sprintf("share%d", i) }
