package kernel

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loops are the functions of the x86 kernels that have a loop, with the bytes
// of an array that each takes an iteration in the amd64 and in the 386 build.
var loops = map[string][2]int{
	"fillSSE2": {64, 64}, "fillAVX2": {64, 64}, "fillAVX512": {64, 64},
	"fillNTSSE2": {256, 256}, "fillNTAVX2": {256, 256}, "fillNTAVX512": {256, 256},
	"fillMOVNTI": {64, 64}, "fillInt": {64, 64}, "fillWord": {128, 64}, "zeroCLZERO": {256, 256},
}

// Those of two and three arrays, of rmw and read take four vectors an
// iteration.
func init() {
	for tier, width := range map[string]int{"SSE2": 16, "AVX2": 32, "AVX512": 64} {
		for _, name := range []string{"copy", "copyNT", "scale", "add", "triad", "triadNT", "rmw", "sum"} {
			loops[name+tier] = [2]int{4 * width, 4 * width}
		}
	}
}

// TestInnerLoopParity builds the command for both architectures and compares
// the machine code of each inner loop: the loads and stores must be the same
// bytes, and an iteration must go as far. Only the pointer-sized counting around them
// may differ. write-word differs by intent.
func TestInnerLoopParity(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("comparing both builds takes the go command")
	}
	builds := make(map[string]*elf.File)
	for _, arch := range []string{"amd64", "386"} {
		bin := filepath.Join(t.TempDir(), "memtest-"+arch)
		cmd := exec.Command(goTool, "build", "-o", bin, "wordsize/cmd/memtest")
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build for %s: %v\n%s", arch, err, out)
		}
		f, err := elf.Open(bin)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		builds[arch] = f
	}
	for name, want := range loops {
		wide, err := innerLoop(builds["amd64"], name)
		if err != nil {
			t.Errorf("amd64: %v", err)
			continue
		}
		narrow, err := innerLoop(builds["386"], name)
		if err != nil {
			t.Errorf("386: %v", err)
			continue
		}
		if wide.step != want[0] || narrow.step != want[1] {
			t.Errorf("%s takes %d bytes an iteration on amd64, %d on 386; want %v", name, wide.step, narrow.step, want)
		}
		if wide.along != narrow.along || wide.along != 0 && wide.along != 2*wide.step {
			t.Errorf("%s: the arrays that are read go on by %d bytes on amd64 and %d on 386 for %d of the other", name, wide.along, narrow.along, wide.step)
		}
		if same := bytes.Equal(wide.stores, narrow.stores); same == (name == "fillWord") {
			t.Errorf("%s: inner loops on amd64 and 386:\n% x\n% x", name, wide.stores, narrow.stores)
		}
	}
}

// A loop is the part of an inner loop that both builds should share.
type loop struct {
	stores []byte // machine code without the counting
	step   int    // bytes by which the pointer goes on an iteration
	along  int    // and the two others together
}

// Counting instructions, with the REX.W prefix that makes them 64 bits wide
// on amd64. In all loops DI or AX is the first pointer and DX the counter; SI
// and BX go along with DI.
const rexW = 0x48

var (
	addDI8  = []byte{0x83, 0xc7} // ADD DI, imm8
	addDI32 = []byte{0x81, 0xc7} // ADD DI, imm32
	addAX8  = []byte{0x83, 0xc0} // ADD AX, imm8
	addSI8  = []byte{0x83, 0xc6} // ADD SI, imm8
	addSI32 = []byte{0x81, 0xc6} // ADD SI, imm32
	addBX8  = []byte{0x83, 0xc3} // ADD BX, imm8
	addBX32 = []byte{0x81, 0xc3} // ADD BX, imm32
	decDX   = map[elf.Machine][]byte{elf.EM_X86_64: {rexW, 0xff, 0xca}, elf.EM_386: {0x4a}}
)

// innerLoop finds a function's loop: what lies between the target of its
// first backward "DEC DX; JNZ" and that.
func innerLoop(f *elf.File, name string) (loop, error) {
	code, err := function(f, name)
	if err != nil {
		return loop{}, err
	}
	dec := decDX[f.Machine]
	for end := 0; ; end++ {
		i := bytes.Index(code[end:], dec)
		if i < 0 {
			return loop{}, fmt.Errorf("%s: no loop found in % x", name, code)
		}
		end += i
		jump := end + len(dec)
		target := jump
		switch rest := code[jump:]; {
		case len(rest) >= 2 && rest[0] == 0x75: // JNZ rel8
			target = jump + 2 + int(int8(rest[1]))
		case len(rest) >= 6 && rest[0] == 0x0f && rest[1] == 0x85: // JNZ rel32
			target = jump + 6 + int(int32(binary.LittleEndian.Uint32(rest[2:])))
		}
		if target < end && target >= 0 {
			return splitLoop(code[target:end], f.Machine == elf.EM_X86_64), nil
		}
	}
}

// splitLoop takes the additions to the pointer out of a loop's code.
func splitLoop(code []byte, wide bool) loop {
	var l loop
	for len(code) > 0 {
		at := code
		if wide && at[0] == rexW {
			at = at[1:]
		}
		switch {
		case len(at) >= 3 && (bytes.HasPrefix(at, addDI8) || bytes.HasPrefix(at, addAX8)):
			l.step += int(at[2])
			code = at[3:]
		case len(at) >= 6 && bytes.HasPrefix(at, addDI32):
			l.step += int(binary.LittleEndian.Uint32(at[2:]))
			code = at[6:]
		case len(at) >= 3 && (bytes.HasPrefix(at, addSI8) || bytes.HasPrefix(at, addBX8)):
			l.along += int(at[2])
			code = at[3:]
		case len(at) >= 6 && (bytes.HasPrefix(at, addSI32) || bytes.HasPrefix(at, addBX32)):
			l.along += int(binary.LittleEndian.Uint32(at[2:]))
			code = at[6:]
		default:
			l.stores = append(l.stores, code[0])
			code = code[1:]
		}
	}
	return l
}

// function returns the machine code of one of this package's functions.
func function(f *elf.File, name string) ([]byte, error) {
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if strings.TrimSuffix(s.Name, ".abi0") != "wordsize/internal/membench/kernel."+name || s.Size < 16 {
			continue
		}
		section := f.Sections[s.Section]
		code := make([]byte, s.Size)
		if _, err := section.ReadAt(code, int64(s.Value-section.Addr)); err != nil {
			return nil, err
		}
		// Without the .abi0 suffix amd64 has a wrapper of the same name.
		if bytes.Contains(code, decDX[f.Machine]) {
			return code, nil
		}
	}
	return nil, fmt.Errorf("no code of %s found", name)
}
