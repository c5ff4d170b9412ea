package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// cannotRun says why a binary of another word size is not executed here; nil
// when it runs.
func cannotRun(bin, arch string) error {
	err := exec.Command(bin, "--version").Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("this kernel cannot execute %s binaries (Exec format error): %s", arch, formatReason(arch))
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s is not executed here (%w): no execute permission, a noexec mount, or a security policy", bin, err)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() && ws.Signal().String() == "bad system call" {
			return fmt.Errorf("%s binaries start here but their system calls are forbidden (SIGSYS): a seccomp filter, as containers have", arch)
		}
	}
	return fmt.Errorf("%s does not start here: %w", bin, err)
}

// formatReason looks for what keeps 32-bit x86 binaries from running.
func formatReason(arch string) string {
	if arch != "386" {
		return "not this machine's architecture, and no emulator is registered for it (binfmt_misc)"
	}
	cmdline, _ := os.ReadFile("/proc/cmdline")
	return ia32Reason(string(cmdline), kernelConfig())
}

// ia32Reason is pure: it reads the kernel's command line and configuration,
// which may be empty when unknown.
func ia32Reason(cmdline, config string) string {
	for _, p := range strings.Fields(cmdline) {
		switch p {
		case "ia32_emulation=0", "ia32_emulation=off", "ia32_emulation=false", "ia32_emulation=n", "ia32_emulation=no":
			return "it was booted with " + p
		}
	}
	const option = "CONFIG_IA32_EMULATION"
	switch {
	case config == "":
		return "IA32 emulation is off (boot with ia32_emulation=on) or not built in (" + option + "); the kernel's configuration cannot be read here"
	case !strings.Contains("\n"+config, "\n"+option+"=y"):
		return "IA32 emulation is not built in (" + option + " is not set)"
	case strings.Contains("\n"+config, "\n"+option+"_DEFAULT_DISABLED=y"):
		return "IA32 emulation is built in but off by default: boot with ia32_emulation=on"
	}
	return "IA32 emulation is built in (" + option + "=y) and yet refused"
}

// kernelConfig returns the running kernel's configuration, "" when unknown.
func kernelConfig() string {
	if f, err := os.Open("/proc/config.gz"); err == nil {
		defer f.Close()
		if z, err := gzip.NewReader(bufio.NewReader(f)); err == nil {
			if b, err := io.ReadAll(z); err == nil {
				return string(b)
			}
		}
	}
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	b, _ := os.ReadFile("/boot/config-" + strings.TrimSpace(string(release)))
	return string(b)
}
