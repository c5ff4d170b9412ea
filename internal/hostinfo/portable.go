package hostinfo

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v3/host"

	"wordsize/internal/result"
)

// readPortable fills the record where there is no Linux /proc, from gopsutil.
// Of gopsutil only such functions are called as neither start a program nor
// ask WMI: cpu.Info and host.Info do on several systems, and importing its cpu
// package reads CPU times at every start of every worker.
func readPortable(ctx context.Context) result.Host {
	h := result.Host{OS: runtime.GOOS}
	h.Hostname, _ = os.Hostname() // "" when unknown
	h.Kernel, _ = host.KernelVersionWithContext(ctx)
	h.Machine, _ = host.KernelArch()
	if runtime.GOOS != "darwin" { // runs sw_vers there
		h.Distribution = platform(ctx)
	}
	if s, err := host.UptimeWithContext(ctx); err == nil && s > 0 {
		n := int64(s)
		h.UptimeSeconds = &n
	}
	if bits, ok := (kernelSigns{build: BuildBits(), machine: h.Machine}).bits(); ok {
		h.KernelBits = &bits
	}
	n := runtime.NumCPU()
	h.CPU = result.CPU{
		Model:   strings.TrimSpace(cpuid.CPU.BrandName),
		Vendor:  cpuid.CPU.VendorString,
		Online:  &n,
		Allowed: AllowedCPUs(),
	}
	h.Caches = cpuidCaches()
	h.Hypervisor = cpuidHypervisor(cpuid.CPU.HypervisorVendorString)
	h.Memory = portableMemory(ctx)
	h.Pages.BaseBytes = int64(os.Getpagesize())
	return h
}
