package main

// userArmInside is the subcommand that userArm starts in its own namespaces.
const userArmInside = "user-arm-inside"

// armFormat is a binary format and what runs it.
type armFormat struct {
	name     string // entry in binfmt_misc
	goarch   string
	magic    string // the first bytes of an ELF file of that architecture
	programs []string
}

// elfMask ignores the OS ABI's version and the low bit of the file type, so
// that both ET_EXEC (2) and ET_DYN (3) match.
const elfMask = `\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`

// armFormats: ELF class, byte order, version, then file type 2 and machine 40
// (ARM) or 183 (AArch64), as in elf(5).
var armFormats = []armFormat{
	{"wordsize-arm", "arm", `\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00`,
		[]string{"qemu-arm", "qemu-arm-static"}},
	{"wordsize-arm64", "arm64", `\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
		[]string{"qemu-aarch64", "qemu-aarch64-static"}},
}

// rule is the line that registers a format (Documentation/admin-guide/
// binfmt-misc.rst). F opens the interpreter at once, so that it is found
// whatever root a program has.
func (f armFormat) rule(interpreter string) string {
	return ":" + f.name + ":M::" + f.magic + ":" + elfMask + ":" + interpreter + ":F"
}
