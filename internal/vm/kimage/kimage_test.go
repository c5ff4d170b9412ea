package kimage

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// elf32 builds a small 386 ELF file with one PT_NOTE segment and one section
// .modinfo, both of the given content.
func elf32(note, modinfo []byte) []byte {
	le := binary.LittleEndian
	names := []byte("\x00.modinfo\x00.shstrtab\x00")
	const ehdr, phdr, shdr = 52, 32, 40
	noteOff := ehdr + phdr
	infoOff := noteOff + len(note)
	namesOff := infoOff + len(modinfo)
	shOff := namesOff + len(names)
	var b bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 9))
	put := func(v any) { _ = binary.Write(&b, le, v) }
	put([]uint16{uint16(elf.ET_EXEC), uint16(elf.EM_386)})
	put([]uint32{1, 0, ehdr, uint32(shOff), 0})
	put([]uint16{ehdr, phdr, 1, shdr, 3, 2})
	put([]uint32{uint32(elf.PT_NOTE), uint32(noteOff), 0, 0, uint32(len(note)), uint32(len(note)), 4, 4})
	b.Write(note)
	b.Write(modinfo)
	b.Write(names)
	put(make([]uint32, 10))
	put([]uint32{1, uint32(elf.SHT_PROGBITS), 0, 0, uint32(infoOff), uint32(len(modinfo)), 0, 0, 1, 0})
	put([]uint32{10, uint32(elf.SHT_STRTAB), 0, 0, uint32(namesOff), uint32(len(names)), 0, 0, 1, 0})
	return b.Bytes()
}

func note(name string, typ uint32, desc []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(name)+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, typ)
	b = append(b, name...)
	b = append(b, make([]byte, 4-len(name)%4)...)
	b = append(b, desc...)
	return append(b, make([]byte, -len(desc)&3)...)
}

func compress(t *testing.T, tool []string, in []byte) []byte {
	t.Helper()
	if tool[0] == "gzip" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(in)
		_ = z.Close()
		return b.Bytes()
	}
	if _, err := exec.LookPath(tool[0]); err != nil {
		t.Skipf("no %s on this machine", tool[0])
	}
	cmd := exec.Command(tool[0], tool[1:]...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s on this machine cannot compress: %v", tool[0], err)
	}
	return out
}

// image wraps a payload as the kernel's build does: setup sectors with the
// header, code, payload, more code. Most formats get the length appended.
func image(payload []byte, plain int, sects byte, header, appendLen bool) []byte {
	if appendLen {
		payload = binary.LittleEndian.AppendUint32(bytes.Clone(payload), uint32(plain))
	}
	n := int(sects)
	if n == 0 {
		n = 4
	}
	const code = 700
	b := make([]byte, (n+1)*512+code)
	b[offSetupSects] = sects
	if header {
		copy(b[offMagic:], "HdrS")
		binary.LittleEndian.PutUint16(b[offVersion:], 0x20f)
		binary.LittleEndian.PutUint32(b[offPayload:], code)
		binary.LittleEndian.PutUint32(b[offPayloadLength:], uint32(len(payload)))
	}
	b = append(b, payload...)
	return append(b, bytes.Repeat([]byte{0x90}, 3000)...)
}

func TestExtract(t *testing.T) {
	kernel := elf32(note("Xen", xenNotePVH, []byte{0, 0, 0, 1}), bytes.Repeat([]byte("kernel text "), 5000))
	for _, c := range [][]string{{"gzip"}, {"xz", "-c", "--check=crc32"}, {"zstd", "-cq"}, {"lz4", "-lcq"},
		{"bzip2", "-c"}, {"xz", "-c", "--format=lzma"}} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			packed := compress(t, c, kernel)
			for _, sects := range []byte{0, 1, 39} {
				got, err := Extract(image(packed, len(kernel), sects, true, c[0] != "gzip"))
				if err != nil || !bytes.Equal(got, kernel) {
					t.Errorf("%d setup sectors: %d bytes, %v", sects, len(got), err)
				}
			}
		})
	}
}

// TestExtractByMagic has no usable header, and a false start before the real
// payload.
func TestExtractByMagic(t *testing.T) {
	kernel := elf32(nil, bytes.Repeat([]byte("kernel text "), 5000))
	packed := compress(t, []string{"gzip"}, kernel)
	img := image(append([]byte("\x1f\x8b\x08 no gzip"), packed...), 0, 4, false, false)
	got, err := Extract(img)
	if err != nil || !bytes.Equal(got, kernel) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestExtractRefuses(t *testing.T) {
	text := compress(t, []string{"gzip"}, []byte("not a kernel at all"))
	for name, img := range map[string][]byte{
		"empty":           nil,
		"text":            []byte("just some text"),
		"not ELF":         image(text, 0, 4, true, false),
		"cut":             image(text, 0, 4, true, false)[:0x250],
		"length past end": append(image(text, 0, 4, true, false)[:offPayloadLength], 0xff, 0xff, 0xff, 0xff),
	} {
		if got, err := Extract(img); !errors.Is(err, ErrNoPayload) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	plain := elf32(nil, nil)
	if got, err := Extract(plain); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("an uncompressed kernel: %v", err)
	}
}

func TestBootsDirectly(t *testing.T) {
	pvh := note("Xen", xenNotePVH, []byte{0, 0, 0, 1})
	tests := []struct {
		name string
		note []byte
		want bool
	}{
		{"none", nil, false},
		{"PVH", pvh, true},
		{"PVH after others", append(note("GNU", 3, []byte("12345")), pvh...), true},
		{"other owner", note("GNU", xenNotePVH, []byte{1}), false},
		{"other type", note("Xen", 5, []byte{1}), false},
		{"cut", pvh[:13], false},
	}
	for _, tt := range tests {
		if got, err := BootsDirectly(elf32(tt.note, nil)); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
	if _, err := BootsDirectly([]byte("text")); err == nil {
		t.Error("text passes as a kernel")
	}
}

func TestClosure(t *testing.T) {
	ko := func(depends string) []byte {
		return elf32(nil, []byte("license=GPL\x00depends="+depends+"\x00name=x\x00"))
	}
	tree := fstest.MapFS{
		"drivers/virtio/virtio.ko":      {Data: ko("")},
		"drivers/virtio/virtio_ring.ko": {Data: ko("virtio")},
		"drivers/char/virtio-rng.ko":    {Data: ko("virtio,virtio_ring")},
		"net/9p/9pnet.ko.gz":            {Data: compress(t, []string{"gzip"}, ko("virtio_rng"))},
		"fs/lost.ko":                    {Data: ko("nowhere")},
		"fs/text.ko":                    {Data: []byte("text")},
	}
	m, err := NewModules(tree)
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.Closure("9pnet", "virtio-ring")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, mod := range all {
		got = append(got, mod.Name)
		if !isELF(mod.Data) {
			t.Errorf("%s is still compressed", mod.Name)
		}
	}
	if want := []string{"virtio", "virtio_ring", "virtio_rng", "9pnet"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := m.Closure("lost"); !errors.Is(err, ErrNoModule) || !strings.Contains(err.Error(), "lost needs nowhere") {
		t.Errorf("a missing dependency: %v", err)
	}
	if _, err := m.Closure("text"); err == nil {
		t.Error("text passes as a module")
	}
}

func FuzzExtract(f *testing.F) {
	f.Add(image([]byte("\x1f\x8b\x08"), 0, 4, true, false))
	f.Fuzz(func(t *testing.T, b []byte) {
		headerPayload(b)
		_, _ = BootsDirectly(b)
	})
}
