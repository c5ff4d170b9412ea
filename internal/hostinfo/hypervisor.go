package hostinfo

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// hypervisor names what this machine runs under, "" on bare metal or when
// nothing tells. A hypervisor that shows itself without a name is
// "unidentified".
func (fs FS) hypervisor(info cpuInfo) string {
	if t := readText(fs.sys("hypervisor/type")); t != "" {
		return t
	}
	if fs.live() {
		if name := cpuidHypervisor(cpuid.CPU.HypervisorVendorString); name != "" {
			return name
		}
	}
	for _, name := range []string{
		hypervisorOfDeviceTree(readText(fs.proc("device-tree/hypervisor/compatible"))),
		hypervisorOfSysinfo(readText(fs.proc("sysinfo"))),
		hypervisorOfDMI(readText(fs.sys("class/dmi/id/sys_vendor")), readText(fs.sys("class/dmi/id/product_name"))),
		hypervisorOfPOWER(info.machine, info.platform),
	} {
		if name != "" {
			return name
		}
	}
	if info.hypervisor {
		return "unidentified"
	}
	return ""
}

// cpuidHypervisor translates the 12 characters of CPUID leaf 0x40000000.
func cpuidHypervisor(vendor string) string {
	vendor = strings.Trim(vendor, " \x00")
	switch vendor {
	case "KVMKVMKVM", "Linux KVM Hv":
		return "kvm"
	case "VMwareVMware":
		return "vmware"
	case "Microsoft Hv":
		return "hyper-v"
	case "XenVMMXenVMM":
		return "xen"
	case "TCGTCGTCGTCG":
		return "qemu (emulated)"
	case "VBoxVBoxVBox":
		return "virtualbox"
	case "bhyve bhyve":
		return "bhyve"
	case "ACRNACRNACRN":
		return "acrn"
	case "prl hyperv", "lrpepyh  vr":
		return "parallels"
	}
	return vendor
}

// hypervisorOfDeviceTree reads the "compatible" property of the hypervisor
// node (arm, arm64, POWER), a list of strings that end in a zero byte.
func hypervisorOfDeviceTree(compatible string) string {
	for name := range strings.SplitSeq(compatible, "\x00") {
		switch {
		case name == "linux,kvm":
			return "kvm"
		case strings.HasPrefix(name, "xen"):
			return "xen"
		case strings.Contains(name, "vmware"):
			return "vmware"
		}
	}
	return ""
}

// hypervisorOfSysinfo reads s390's /proc/sysinfo, whose line
// "VM00 Control Program: KVM/Linux" is there only under a hypervisor.
func hypervisorOfSysinfo(s string) string {
	for line := range strings.Lines(s) {
		if program, ok := cutField(line, "VM00 Control Program"); ok {
			program = strings.Join(strings.Fields(program), " ")
			if strings.HasPrefix(program, "KVM") {
				return "kvm"
			}
			return program
		}
	}
	return ""
}

// hypervisorOfDMI recognises virtual hardware by the firmware's tables.
func hypervisorOfDMI(vendor, product string) string {
	switch {
	case vendor == "QEMU", product == "KVM", product == "Google Compute Engine",
		vendor == "Amazon EC2" && !strings.HasSuffix(product, ".metal") && !strings.Contains(product, ".metal-"):
		return "kvm"
	case strings.HasPrefix(vendor, "VMware"):
		return "vmware"
	case vendor == "Microsoft Corporation" && product == "Virtual Machine":
		return "hyper-v"
	case product == "VirtualBox":
		return "virtualbox"
	case vendor == "Xen":
		return "xen"
	case strings.HasPrefix(vendor, "Parallels"):
		return "parallels"
	}
	return ""
}

// hypervisorOfPOWER reads POWER's "machine" line, such as
// "CHRP IBM pSeries (emulated by qemu)", and the platform, which is "pSeries"
// in every partition and "PowerNV" on bare metal.
func hypervisorOfPOWER(machine, platform string) string {
	switch {
	case strings.Contains(machine, "emulated by qemu"):
		return "qemu"
	case platform == "pSeries":
		return "powervm"
	}
	return ""
}
