package result

import "testing"

func TestLastLevelCache(t *testing.T) {
	sysfs := func(level int, kind string, bytes int64) Cache {
		return Cache{Level: level, Type: kind, Bytes: bytes, Source: "sysfs"}
	}
	cpuid := func(level int, bytes int64) Cache {
		return Cache{Level: level, Type: "Unified", Bytes: bytes, Source: "cpuid"}
	}
	for name, c := range map[string]struct {
		caches []Cache
		bytes  int64
		source string
	}{
		"none":                   {nil, 0, ""},
		"instructions only":      {[]Cache{sysfs(1, "Instruction", 32<<10)}, 0, ""},
		"highest level":          {[]Cache{sysfs(3, "Unified", 32<<20), sysfs(2, "Unified", 1<<20)}, 32 << 20, "sysfs"},
		"sources agree":          {[]Cache{sysfs(3, "Unified", 32<<20), cpuid(3, 32<<20)}, 32 << 20, "sysfs"},
		"larger claim":           {[]Cache{sysfs(3, "Unified", 32<<20), cpuid(3, 508<<20)}, 508 << 20, "cpuid"},
		"one source knows no L3": {[]Cache{sysfs(2, "Unified", 1<<20), cpuid(3, 16<<20)}, 16 << 20, "cpuid"},
	} {
		h := Host{Caches: c.caches}
		if bytes, source, ok := h.LastLevelCache(); bytes != c.bytes || source != c.source || ok != (c.source != "") {
			t.Errorf("%s: %d by %q, %v; want %d by %q", name, bytes, source, ok, c.bytes, c.source)
		}
	}
}
