// Package kimage takes Linux kernel images apart: it finds the compressed
// kernel inside of a vmlinuz, unpacks it, and reads what modules depend on.
//
// The layout of an x86 image is described in Documentation/arch/x86/boot.rst.
package kimage

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Offsets into the header of an x86 boot image.
const (
	offSetupSects    = 0x1f1
	offMagic         = 0x202 // "HdrS"
	offVersion       = 0x206
	offPayload       = 0x248
	offPayloadLength = 0x24c
	minVersion       = 0x208 // the first boot protocol that tells the payload's place
)

// Format names a way of compression and the tool that undoes it.
type Format struct {
	Name  string
	Magic string
	Tool  []string // command line that reads standard input; nil: done here
	Pkg   string   // the Debian package of the tool
}

// Formats are all that the kernel's build offers for x86
// (scripts/extract-vmlinux knows the same list).
var Formats = []Format{
	{Name: "gzip", Magic: "\x1f\x8b\x08"},
	{Name: "xz", Magic: "\xfd7zXZ\x00", Tool: []string{"xz", "-dc", "--single-stream"}, Pkg: "xz-utils"},
	{Name: "zstd", Magic: "\x28\xb5\x2f\xfd", Tool: []string{"zstd", "-dcq"}, Pkg: "zstd"},
	{Name: "lz4", Magic: "\x02\x21\x4c\x18", Tool: []string{"lz4", "-dcq"}, Pkg: "lz4"},
	{Name: "bzip2", Magic: "BZh", Tool: []string{"bzip2", "-dc"}, Pkg: "bzip2"},
	{Name: "lzma", Magic: "\x5d\x00\x00", Tool: []string{"xz", "-dc", "--format=lzma"}, Pkg: "xz-utils"},
	{Name: "lzo", Magic: "\x89LZO\x00\r\n\x1a\n", Tool: []string{"lzop", "-dc"}, Pkg: "lzop"},
}

// ErrNoPayload means that no compressed kernel was found.
var ErrNoPayload = errors.New("no compressed kernel found in the image")

// Payload is a compressed kernel inside of an image.
type Payload struct {
	Format Format
	Data   []byte // from the magic on; may be followed by bytes that don't belong to it
}

// Payloads returns where a compressed kernel may lie, the likeliest first: the
// place that the boot header names, then every place that looks like the start
// of one of the formats.
func Payloads(image []byte) []Payload {
	var all []Payload
	if p, ok := headerPayload(image); ok {
		all = append(all, p)
	}
	for _, f := range Formats {
		if len(f.Magic) <= 3 && f.Name != "gzip" {
			continue // bzip2's and lzma's magics are too short to look for anywhere
		}
		for from := 0; ; {
			i := bytes.Index(image[from:], []byte(f.Magic))
			if i < 0 {
				break
			}
			all = append(all, Payload{f, image[from+i:]})
			from += i + 1
		}
	}
	return all
}

func headerPayload(image []byte) (Payload, bool) {
	if len(image) < offPayloadLength+4 || string(image[offMagic:offMagic+4]) != "HdrS" ||
		binary.LittleEndian.Uint16(image[offVersion:]) < minVersion {
		return Payload{}, false
	}
	sects := int64(image[offSetupSects])
	if sects == 0 {
		sects = 4
	}
	start := (sects+1)*512 + int64(binary.LittleEndian.Uint32(image[offPayload:]))
	end := start + int64(binary.LittleEndian.Uint32(image[offPayloadLength:]))
	if start >= end || end > int64(len(image)) {
		return Payload{}, false
	}
	b := image[start:end]
	for _, f := range Formats {
		if bytes.HasPrefix(b, []byte(f.Magic)) {
			return Payload{f, b}, true
		}
	}
	return Payload{}, false
}

// Extract returns the uncompressed kernel, an ELF file, of an image. An image
// that is an ELF file already is returned as it is.
func Extract(image []byte) ([]byte, error) {
	if isELF(image) {
		return image, nil
	}
	var errs []error
	for i, p := range Payloads(image) {
		out, err := p.Unpack()
		if err == nil && isELF(out) {
			return out, nil
		}
		if err == nil {
			err = errors.New("what was unpacked is no ELF file")
		}
		if i < 3 || errors.Is(err, exec.ErrNotFound) {
			errs = append(errs, fmt.Errorf("%s: %w", p.Format.Name, err))
		}
	}
	if len(errs) == 0 {
		return nil, ErrNoPayload
	}
	return nil, fmt.Errorf("%w: %w", ErrNoPayload, errors.Join(errs...))
}

// Unpack decompresses the payload. Bytes after its end (the kernel's build
// appends the length to most formats) are no error where something that looks
// like a kernel came out.
func (p Payload) Unpack() ([]byte, error) {
	if p.Format.Tool == nil {
		z, err := gzip.NewReader(bytes.NewReader(p.Data))
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		return io.ReadAll(z)
	}
	if _, err := exec.LookPath(p.Format.Tool[0]); err != nil {
		return nil, fmt.Errorf("%w: install the Debian package %s", err, p.Format.Pkg)
	}
	cmd := exec.Command(p.Format.Tool[0], p.Format.Tool[1:]...)
	var out, msg bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(p.Data), &out, &msg
	if err := cmd.Run(); err != nil && !complete(out.Bytes(), p.Data) {
		return nil, fmt.Errorf("%s: %w: %s", p.Format.Tool[0], err, strings.TrimSpace(msg.String()))
	}
	return out.Bytes(), nil
}

// complete reports whether out is as long as the length that the kernel's
// build appends to the compressed data says.
func complete(out, data []byte) bool {
	return len(data) > 4 && int64(binary.LittleEndian.Uint32(data[len(data)-4:])) == int64(len(out)) && len(out) > 0
}

func isELF(b []byte) bool { return bytes.HasPrefix(b, []byte(elf.ELFMAG)) }

// xenNotePVH is the type of the note in which a kernel tells the address where
// qemu enters it directly (include/xen/interface/elfnote.h,
// XEN_ELFNOTE_PHYS32_ENTRY).
const xenNotePVH = 18

// BootsDirectly reports whether an uncompressed kernel has the PVH note, so
// that qemu's -kernel boots it without any decompression in the guest.
func BootsDirectly(vmlinux []byte) (bool, error) {
	f, err := elf.NewFile(bytes.NewReader(vmlinux))
	if err != nil {
		return false, fmt.Errorf("kernel: %w", err)
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		b, err := io.ReadAll(p.Open())
		if err != nil {
			return false, fmt.Errorf("kernel: notes: %w", err)
		}
		if hasNote(b, f.ByteOrder, "Xen", xenNotePVH) {
			return true, nil
		}
	}
	return false, nil
}

// hasNote looks through the content of a PT_NOTE segment: name size,
// description size, type, then both, each padded to 4 bytes (elf(5)).
func hasNote(b []byte, order binary.ByteOrder, name string, typ uint32) bool {
	for len(b) >= 12 {
		nameLen, descLen := int64(order.Uint32(b)), int64(order.Uint32(b[4:]))
		next := 12 + (nameLen+3)&^3 + (descLen+3)&^3
		if 12+nameLen > int64(len(b)) {
			return false
		}
		if order.Uint32(b[8:]) == typ && strings.TrimRight(string(b[12:12+nameLen]), "\x00") == name {
			return true
		}
		if next > int64(len(b)) {
			return false
		}
		b = b[next:]
	}
	return false
}
