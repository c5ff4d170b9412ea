//go:build linux

// Command init is the first process of the virtual machine that
// scripts/vm/run.sh boots. It needs nothing but itself in the initramfs: it
// mounts the usual file systems, loads the few modules that it is told to,
// opens the channel to the host, runs the jobs of the spec one after the
// other, and ends the machine when the host has read everything.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/wire"
)

func main() {
	if filepath.Base(os.Args[0]) == "nice" {
		os.Exit(nice(os.Args[1:]))
	}
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "init: runs only as the first process of a virtual machine; use scripts/vm/run.sh")
		os.Exit(2)
	}
	if err := serve(); err != nil {
		fmt.Println(guest.FailMark + err.Error())
	}
	powerOff()
}

// serve does everything between boot and power-off. Its error goes to the
// console, where the host looks for guest.FailMark.
func serve() error {
	if err := mountBasics(); err != nil {
		return err
	}
	spec, err := readSpec(guest.SpecPath)
	if err != nil {
		return err
	}
	for _, m := range spec.Modules {
		if err := loadModule(m); err != nil {
			return err
		}
	}
	seedRandom(spec.Seed)
	port, err := openPort(guest.PortName, 10*time.Second)
	if err != nil {
		return err
	}
	w := wire.NewWriter(port)
	if err := setUp(spec); err != nil {
		return goodbye(w, port, wire.Frame{Type: wire.Fail, Data: []byte(err.Error())})
	}
	if err := sendJSON(w, wire.Hello, 0, guest.Hello{Kernel: release(), Uptime: uptime()}); err != nil {
		return err
	}
	for i, j := range spec.Jobs {
		if err := runJob(w, i, j); err != nil {
			return err
		}
	}
	unix.Sync()
	return goodbye(w, port, wire.Frame{Type: wire.End})
}

// goodbye sends the last frame. What was written may still be on its way when
// the machine ends, so it waits for the host's word.
func goodbye(w *wire.Writer, port *os.File, f wire.Frame) error {
	if err := w.Write(f); err != nil {
		return err
	}
	if _, err := wire.Read(bufio.NewReader(port)); err != nil {
		return fmt.Errorf("waiting for the host's acknowledgement: %w", err)
	}
	return nil
}

// setUp does what needs the spec: host name, network, shared folders.
func setUp(spec guest.Spec) error {
	if err := unix.Sethostname([]byte(spec.Hostname)); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring up the loopback network: %w", err)
	}
	for i, m := range spec.Mounts {
		if err := mountShare(m, i); err != nil {
			return fmt.Errorf("share %s: %w", m.Path, err)
		}
	}
	return nil
}

func readSpec(name string) (guest.Spec, error) {
	var s guest.Spec
	b, err := os.ReadFile(name)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func sendJSON(w *wire.Writer, t wire.Type, job int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.Write(wire.Frame{Type: t, Job: job, Data: b})
}

func release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "?"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// uptime returns the milliseconds since the kernel started.
func uptime() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return ts.Nano() / 1e6
}

// powerOff ends the machine and does not return: the quick way first, then the
// ones that need no help from qemu's command line.
func powerOff() {
	unix.Sync()
	if f, err := os.OpenFile("/dev/port", os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteAt([]byte{guest.DebugExit}, guest.DebugPort)
		f.Close()
	}
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	os.Exit(0) // the kernel panics over this and, told panic=-1, reboots
}

// console prints a line to the machine's console.
func console(format string, args ...any) {
	fmt.Println("vm-init: " + strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}
