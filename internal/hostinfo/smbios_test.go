package hostinfo

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// slot builds a structure of type 17 as version 3.3 of the specification has
// it, cut to so many bytes.
func slot(length int, size, bits, mts uint16, device, bank string) []byte {
	b := make([]byte, 0x5c)
	b[0], b[1] = smbiosMemoryDevice, byte(length)
	le := binary.LittleEndian
	le.PutUint16(b[0x08:], bits+8) // with error correction
	le.PutUint16(b[0x0a:], bits)
	le.PutUint16(b[0x0c:], size)
	b[0x10], b[0x11] = 1, 2
	le.PutUint16(b[0x15:], 6400) // what the module could do
	le.PutUint32(b[0x1c:], 64<<10)
	le.PutUint16(b[0x20:], mts)
	le.PutUint32(b[0x58:], 70000)
	text := device + "\x00"
	if bank == "" {
		b[0x11] = 0 // no string
	} else {
		text += bank + "\x00"
	}
	return append(b[:length:length], text+"\x00"...)
}

// other is a structure of another type, without strings.
func other(typ byte) []byte { return []byte{typ, 4, 0, 1, 0, 0} }

func table(structures ...[]byte) (b []byte) {
	b = append(b, other(0)...)
	for _, s := range structures {
		b = append(b, s...)
	}
	return append(append(b, other(19)...), other(smbiosEnd)...)
}

func TestModules(t *testing.T) {
	const v33, v27, v26 = 0x5c, 0x22, 0x1c
	for name, c := range map[string]struct {
		table                     []byte
		slots, populated, channel int
		assumed                   bool
		peak                      int64 // 10^6 bytes a second; 0: unknown
	}{
		"desktop, one module a channel": {table(
			slot(v33, 16<<10, 64, 3200, "DIMM 0", "P0 CHANNEL A"), slot(v33, 0, 64, 3200, "DIMM 1", "P0 CHANNEL A"),
			slot(v33, 16<<10, 64, 3200, "DIMM 0", "P0 CHANNEL B"), slot(v33, 0, 64, 3200, "DIMM 1", "P0 CHANNEL B")), 4, 2, 2, false, 51200},
		"two modules a channel count once, at the slower's rate": {table(
			slot(v33, 8<<10, 64, 2666, "ChannelA-DIMM0", "BANK 0"), slot(v33, 8<<10, 64, 2400, "ChannelA-DIMM1", "BANK 1"),
			slot(v33, 8<<10, 64, 2400, "ChannelB-DIMM0", "BANK 2"), slot(v33, 8<<10, 64, 2400, "ChannelB-DIMM1", "BANK 3")), 4, 4, 2, false, 38400},
		"two sockets": {table(
			slot(v33, 0x7fff, 64, 4800, "CPU1_DIMM_A1", "NODE 1"), slot(v33, 0x7fff, 64, 4800, "CPU1_DIMM_B1", "NODE 1"),
			slot(v33, 0x7fff, 64, 4800, "CPU2_DIMM_A1", "NODE 2"), slot(v33, 0, 64, 0, "CPU2_DIMM_B1", "NODE 2")), 4, 3, 3, false, 115200},
		"controllers": {table(
			slot(v33, 8<<10, 16, 6400, "Controller0-ChannelA", "BANK 0"), slot(v33, 8<<10, 16, 6400, "Controller0-ChannelB", "BANK 0"),
			slot(v33, 8<<10, 16, 6400, "Controller1-ChannelA", "BANK 1"), slot(v33, 8<<10, 16, 6400, "Controller1-ChannelB", "BANK 1")), 4, 4, 4, false, 51200},
		"locators that tell nothing": {table(slot(v33, 16<<10, 64, 2933, "Slot 1", "Bank 1"), slot(v33, 16<<10, 64, 2933, "Slot 2", "Bank 2")), 2, 2, 2, true, 46928},
		"rate beyond 65,535":         {table(slot(v33, 16<<10, 64, 0xffff, "CH A", "")), 1, 1, 1, false, 560000},
		"version 2.7":                {table(slot(v27, 4<<10, 64, 1333, "DIMM_A1", "BANK0")), 1, 1, 1, false, 10664},
		"version 2.6, no configured": {table(slot(v26, 4<<10, 64, 1333, "DIMM_A1", "BANK0")), 1, 1, 0, false, 0},
		"virtual, no rate":           {table(slot(v33, 4<<10, 0xffff, 0, "DIMM 0", "")), 1, 1, 0, false, 0},
		"one of two unknown":         {table(slot(v33, 16<<10, 64, 3200, "DIMM_A1", ""), slot(v33, 16<<10, 64, 0, "DIMM_B1", "")), 2, 2, 0, false, 0},
		"unknown size counts":        {table(slot(v33, 0xffff, 64, 3200, "DIMM_A1", "")), 1, 1, 1, false, 25600},
		"size in KiB":                {table(slot(v33, 0x8000|512, 64, 1600, "DIMM_A1", "")), 1, 1, 1, false, 12800},
	} {
		all, err := parseSMBIOS(c.table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := modules(all)
		if m == nil || m.Slots != c.slots || m.Populated != c.populated {
			t.Errorf("%s: %+v, want %d of %d slots", name, m, c.populated, c.slots)
			continue
		}
		if c.peak == 0 {
			if m.PeakBytesPerS != nil || m.Channels != nil {
				t.Errorf("%s: a peak of %d is made up", name, *m.PeakBytesPerS)
			}
			continue
		}
		if m.PeakBytesPerS == nil || *m.PeakBytesPerS != c.peak*1e6 || *m.Channels != c.channel || m.ChannelsAssumed != c.assumed {
			t.Errorf("%s: %+v, want %d channels and %d MB/s", name, m, c.channel, c.peak)
		}
	}
}

func TestNoModules(t *testing.T) {
	if m := modules(nil); m != nil {
		t.Errorf("none: %+v", m)
	}
	all, err := parseSMBIOS(table(slot(0x5c, 0, 64, 3200, "A", "B")))
	if m := modules(all); err != nil || m != nil {
		t.Errorf("empty slots alone: %+v, %v", m, err)
	}
	if m := (FS{Sys: t.TempDir()}).modules(); m != nil {
		t.Errorf("no table: %+v", m)
	}
}

func TestModulesFromTree(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "firmware", "dmi", "tables", "DMI")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	whole := table(slot(0x5c, 16<<10, 64, 3200, "DIMM_A1", ""), slot(0x5c, 16<<10, 64, 3200, "DIMM_B1", ""))
	for _, n := range []int{len(whole), len(whole) / 2} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		m := FS{Sys: dir}.modules()
		if whole := n == len(whole); (m != nil) != whole || whole && *m.PeakBytesPerS != 51.2e9 {
			t.Errorf("%d bytes: %+v", n, m)
		}
	}
}

func TestSMBIOSDamaged(t *testing.T) {
	good := table(slot(0x5c, 16<<10, 64, 3200, "DIMM_A1", ""))
	for name, b := range map[string][]byte{
		"short header":     good[:8],
		"short structure":  good[:20],
		"strings cut":      good[:len(good)-14],
		"length below 4":   {17, 3, 0, 0, 0, 0},
		"a trailing byte":  {0, 4, 0, 0, 0, 0, 1},
		"one string alone": {0, 4, 0, 0, 0, 'x', 0, 0},
	} {
		if _, err := parseSMBIOS(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzSMBIOS(f *testing.F) {
	f.Add(table(slot(0x5c, 16<<10, 64, 3200, "DIMM_A1", "P0 CHANNEL A")))
	f.Add([]byte{17, 4, 0, 0, 'a', 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		all, _ := parseSMBIOS(b)
		if m := modules(all); m != nil && (m.Populated > m.Slots || m.PeakBytesPerS != nil && *m.PeakBytesPerS <= 0) {
			t.Errorf("%+v", m)
		}
	})
}
