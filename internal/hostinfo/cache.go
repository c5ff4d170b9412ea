package hostinfo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"wordsize/internal/result"
)

// maxCacheIndex bounds the cache index directories looked at; real CPUs have
// four or five.
const maxCacheIndex = 32

// parseCacheSize reads a cache size as sysfs prints it, such as "48K" or
// "32768K", in bytes. K is 1024.
func parseCacheSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimRight(s, "KMG")
	shift := 0
	switch s[len(digits):] {
	case "":
	case "K":
		shift = 10
	case "M":
		shift = 20
	case "G":
		shift = 30
	default:
		return 0, fmt.Errorf("cache size %s has an unknown unit", clip(s))
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("cache size %s is not a number with K, M or G", clip(s))
	}
	return int64(n) << shift, nil
}

// sysfsCaches returns what sysfs claims of one CPU's caches
// (Documentation/ABI/testing/sysfs-devices-system-cpu). Virtual machines
// often have the directories without sizes: such a cache is left out.
func (fs FS) sysfsCaches(cpu int) []result.Cache {
	var caches []result.Cache
	for i := range maxCacheIndex {
		dir := fs.cpuFile(cpu, "cache", "index"+strconv.Itoa(i))
		level := readInt(dir + "/level")
		if level == nil {
			break
		}
		size, err := parseCacheSize(readText(dir + "/size"))
		if err != nil || size == 0 {
			continue
		}
		caches = append(caches, result.Cache{
			Level:      *level,
			Type:       readText(dir + "/type"),
			Bytes:      size,
			SharedCPUs: readText(dir + "/shared_cpu_list"),
			Source:     "sysfs",
		})
	}
	return caches
}

// cpuidCaches returns what the CPUID instruction claims of the caches of the
// CPU that this thread runs on; nothing on other architectures than x86.
func cpuidCaches() []result.Cache {
	c := cpuid.CPU.Cache
	claims := []result.Cache{
		{Level: 1, Type: "Data", Bytes: int64(c.L1D)},
		{Level: 1, Type: "Instruction", Bytes: int64(c.L1I)},
		{Level: 2, Type: "Unified", Bytes: int64(c.L2)},
		{Level: 3, Type: "Unified", Bytes: int64(c.L3)},
	}
	var caches []result.Cache
	for _, claim := range claims {
		if claim.Bytes > 0 { // -1 is unknown
			claim.Source = "cpuid"
			caches = append(caches, claim)
		}
	}
	return caches
}
