package hostinfo

// armImplementers are the names behind the implementer codes of MIDR_EL1
// (Arm Architecture Reference Manual, D19.2, and Linux's cputype.h).
var armImplementers = map[int]string{
	0x41: "ARM",
	0x42: "Broadcom",
	0x43: "Cavium",
	0x46: "Fujitsu",
	0x48: "HiSilicon",
	0x4e: "NVIDIA",
	0x50: "APM",
	0x51: "Qualcomm",
	0x53: "Samsung",
	0x56: "Marvell",
	0x61: "Apple",
	0x6d: "Microsoft",
	0xc0: "Ampere",
}

// armPart is an implementer code and a part number of it.
type armPart struct{ implementer, part int }

// armParts names the cores that servers and common boards have; the part
// numbers are in each core's Technical Reference Manual under MIDR_EL1.
var armParts = map[armPart]string{
	{0x41, 0xb76}: "ARM1176",
	{0x41, 0xc05}: "Cortex-A5",
	{0x41, 0xc07}: "Cortex-A7",
	{0x41, 0xc08}: "Cortex-A8",
	{0x41, 0xc09}: "Cortex-A9",
	{0x41, 0xc0f}: "Cortex-A15",
	{0x41, 0xd03}: "Cortex-A53",
	{0x41, 0xd04}: "Cortex-A35",
	{0x41, 0xd05}: "Cortex-A55",
	{0x41, 0xd07}: "Cortex-A57",
	{0x41, 0xd08}: "Cortex-A72",
	{0x41, 0xd09}: "Cortex-A73",
	{0x41, 0xd0a}: "Cortex-A75",
	{0x41, 0xd0b}: "Cortex-A76",
	{0x41, 0xd0c}: "Neoverse-N1",
	{0x41, 0xd0d}: "Cortex-A77",
	{0x41, 0xd40}: "Neoverse-V1",
	{0x41, 0xd41}: "Cortex-A78",
	{0x41, 0xd44}: "Cortex-X1",
	{0x41, 0xd46}: "Cortex-A510",
	{0x41, 0xd47}: "Cortex-A710",
	{0x41, 0xd49}: "Neoverse-N2",
	{0x41, 0xd4f}: "Neoverse-V2",
	{0x43, 0x0a1}: "ThunderX",
	{0x43, 0x0af}: "ThunderX2",
	{0x46, 0x001}: "A64FX",
	{0x48, 0xd01}: "TaiShan v110",
	{0x50, 0x000}: "X-Gene",
	{0x61, 0x022}: "Apple M1 Icestorm",
	{0x61, 0x023}: "Apple M1 Firestorm",
	{0xc0, 0xac3}: "Ampere-1",
	{0xc0, 0xac4}: "Ampere-1a",
}

// s390Machines names IBM's machine types.
var s390Machines = map[string]string{
	"2817": "z196",
	"2818": "z114",
	"2827": "zEC12",
	"2828": "zBC12",
	"2964": "z13",
	"2965": "z13s",
	"3906": "z14",
	"3907": "z14 ZR1",
	"8561": "z15",
	"8562": "z15 T02",
	"3931": "z16",
	"3932": "z16 A02",
}
