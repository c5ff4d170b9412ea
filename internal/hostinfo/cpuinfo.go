package hostinfo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// maxCPUInfo bounds what is read of /proc/cpuinfo, in bytes. The first
// processor's block says nearly everything, and a host with hundreds of CPUs
// prints more than a megabyte.
const maxCPUInfo = 64 << 10

// cpuInfo is what is used of /proc/cpuinfo, whose names and layout differ
// between architectures.
type cpuInfo struct {
	cpu        result.CPU // model, vendor, family, model ID, stepping, microcode
	processors int        // processor blocks seen
	hypervisor bool       // the x86 flag that a hypervisor sets
	machine    string     // "machine" line of POWER: names the model, or an emulator
	platform   string     // "platform" line of POWER, "pSeries" under any hypervisor
}

// cpuFields are the "key : value" pairs of one processor block, plus those
// outside of any block.
type cpuFields map[string]string

// first returns the value of the first key that has one.
func (f cpuFields) first(keys ...string) string {
	for _, k := range keys {
		if v := f[k]; v != "" {
			return v
		}
	}
	return ""
}

// parseCPUInfo reads the text of /proc/cpuinfo of any architecture. Cores of
// different models in one machine (big.LITTLE) are all named, in order.
func parseCPUInfo(b []byte) cpuInfo {
	blocks, global := splitCPUInfo(string(b))
	info := cpuInfo{processors: len(blocks), machine: global["machine"], platform: global["platform"]}
	first := global
	if len(blocks) > 0 {
		first = blocks[0]
	}
	info.cpu = result.CPU{
		Vendor:    cpuVendor(first, global),
		Family:    first.first("cpu family", "CPU architecture"),
		ModelID:   first.first("model", "CPU part", "marchid"),
		Stepping:  cpuStepping(first),
		Microcode: first["microcode"],
	}
	if isS390(global) {
		info.cpu.ModelID = first["machine"]
	}
	var models []string
	for _, block := range blocks {
		if m := cpuModel(block, global); m != "" && !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		if m := cpuModel(global, global); m != "" {
			models = append(models, m)
		}
	}
	info.cpu.Model = strings.Join(models, " + ")
	info.hypervisor = slices.Contains(strings.Fields(first["flags"]), "hypervisor")
	return info
}

// splitCPUInfo separates the processor blocks from what stands outside of
// them. A block starts at a "processor" line (s390 numbers it in the key:
// "processor 0: version = FF"); the lines before the first one, and those
// after a blank line that are in no block, are about the machine.
func splitCPUInfo(s string) (blocks []cpuFields, global cpuFields) {
	global = cpuFields{}
	current := global
	for line := range strings.Lines(s) {
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok {
			if key == "" {
				current = global
			}
			continue
		}
		number, inKey := strings.CutPrefix(key, "processor ")
		switch {
		case key == "processor" && isNumber(value):
			current = cpuFields{}
			blocks = append(blocks, current)
		case inKey && isNumber(number):
			blocks = append(blocks, s390Block(value))
			current = global
		default:
			if _, seen := current[key]; !seen {
				current[key] = value
			}
		}
	}
	shareARMFields(blocks, global)
	return blocks, global
}

// shareARMFields gives every block the identification that 32-bit ARM kernels
// before 3.8 print once, below all blocks.
func shareARMFields(blocks []cpuFields, global cpuFields) {
	for _, key := range []string{"CPU implementer", "CPU part", "CPU architecture", "CPU revision"} {
		value, ok := global[key]
		for _, block := range blocks {
			if _, has := block[key]; ok && !has {
				block[key] = value
			}
		}
	}
}

// s390Block reads "version = FF,  identification = 2733E8,  machine = 2964".
func s390Block(s string) cpuFields {
	block := cpuFields{}
	for pair := range strings.SplitSeq(s, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			block[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return block
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}

// cpuModel names a processor as well as the block allows.
func cpuModel(block, global cpuFields) string {
	if isS390(global) {
		return s390Model(block)
	}
	if arm := armModel(block); arm != "" {
		return arm
	}
	if name := block.first("model name", "Model Name", "cpu model", "cpu", "uarch"); name != "" {
		return name
	}
	// Old ARM kernels name the processor once, above all blocks.
	if name := global.first("Processor", "model name", "Model Name", "cpu model", "cpu", "Hardware"); name != "" {
		return name
	}
	return block.first("isa")
}

func cpuVendor(block, global cpuFields) string {
	if v := block.first("vendor_id", "vendor"); v != "" {
		return v
	}
	if code := block["CPU implementer"]; code != "" {
		if name := armImplementers[hexCode(code)]; name != "" {
			return name
		}
		return code
	}
	if strings.HasPrefix(block["cpu"], "POWER") {
		return "IBM"
	}
	if v := block["mvendorid"]; v != "" && v != "0x0" {
		return v
	}
	return global["vendor_id"]
}

// cpuStepping returns the revision within a model; POWER prints it as
// "2.2 (pvr 004e 1202)", of which there is no whole number to report.
func cpuStepping(block cpuFields) *int {
	n, err := strconv.Atoi(block.first("stepping", "CPU revision"))
	if err != nil {
		return nil
	}
	return &n
}

// armModel names an ARM core by its implementer and part number: 64-bit
// kernels print no name, 32-bit ones only that of the architecture ("ARMv7
// Processor rev 4 (v7l)"). Unknown numbers are shown as they are.
func armModel(block cpuFields) string {
	code, part := block["CPU implementer"], block["CPU part"]
	if code == "" || part == "" {
		return ""
	}
	if name := armParts[armPart{hexCode(code), hexCode(part)}]; name != "" {
		return name
	}
	if name := block.first("model name", "Processor"); name != "" {
		return name
	}
	return fmt.Sprintf("ARM implementer %s part %s", code, part)
}

// hexCode reads "0x41"; -1 when it is no number.
func hexCode(s string) int {
	n, err := strconv.ParseUint(s, 0, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

func isS390(global cpuFields) bool { return global["vendor_id"] == "IBM/S390" }

func s390Model(block cpuFields) string {
	machine := block["machine"]
	if name := s390Machines[machine]; name != "" {
		return fmt.Sprintf("IBM %s (machine type %s)", name, machine)
	}
	if machine != "" {
		return "IBM machine type " + machine
	}
	return "IBM/S390"
}
