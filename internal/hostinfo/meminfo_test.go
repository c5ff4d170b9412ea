package hostinfo

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestMemInfo(t *testing.T) {
	m, err := captured("amd64-vm-v1").MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "total", m.TotalBytes, val(int64(24684092*1024)))
	same(t, "available", m.AvailableBytes, val(int64(24340780*1024)))
	same(t, "swap", m.SwapTotalBytes, val(int64(2097148*1024)))
	same(t, "committed", m.CommittedBytes, val(int64(54564*1024)))
	same(t, "high total", m.HighTotalBytes, nil)

	m, err = captured("i386-pae").MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "total", m.TotalBytes, val(int64(6149784*1024))) // more than 32 bits hold
	same(t, "high total", m.HighTotalBytes, val(int64(5390216*1024)))
	same(t, "high free", m.HighFreeBytes, val(int64(5349320*1024)))
	same(t, "low free", m.LowFreeBytes, val(int64(728820*1024)))
}

func TestMemInfoDamaged(t *testing.T) {
	tests := []struct {
		name, text, err string
		total           *int64
	}{
		{"empty", "", "no MemTotal line", nil},
		{"old kernel", "MemTotal: 64 kB\nMemFree: 1 kB\n", "", val(int64(65536))},
		{"cut short", "MemTotal: 64 kB\nMemFr", "", val(int64(65536))},
		{"bad figure", "MemTotal: 64 kB\nMemFree: many kB\n", "MemFree: \"many\"", val(int64(65536))},
		{"bad unit", "MemTotal: 64 MB\n", "MemTotal: \"64 MB\"", nil},
		{"negative", "MemTotal: -1 kB\n", "\"-1\"", nil},
		{"too large", "MemTotal: 9223372036854775807 kB\n", "more than 63 bits", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := parseMemInfo([]byte(tt.text))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			same(t, "total", m.memory.TotalBytes, tt.total)
			same(t, "free of a bad line", m.memory.AvailableBytes, nil)
		})
	}
	if _, err := (FS{Proc: t.TempDir()}).MemInfo(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
}

func FuzzMemInfo(f *testing.F) {
	for _, name := range []string{"amd64-vm-v1", "i386-pae"} {
		b, err := os.ReadFile("testdata/" + name + "/proc/meminfo")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("MemTotal: 18446744073709551616 kB"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMemInfo(b)
		if err == nil && m.memory.TotalBytes == nil {
			t.Error("no total and no error")
		}
		for key, v := range m.fields() {
			if *v != nil && **v < 0 {
				t.Errorf("%s = %d", key, **v)
			}
		}
	})
}
