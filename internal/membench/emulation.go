package membench

import (
	"strings"

	"wordsize/internal/result"
)

// UserModeEmulation says what emulates the processor for this process alone,
// on a kernel for another one; "" when nothing does.
func UserModeEmulation(h *result.Host, goarch string) string {
	if foreign(h.Machine, goarch) {
		return goarch + " on " + h.Machine
	}
	return ""
}

// Emulation says what emulates the processor, for this process or for the
// whole machine; "" when nothing does, as far as can be told.
func Emulation(h *result.Host, goarch string) string {
	if strings.Contains(h.Hypervisor, "emulated") {
		return h.Hypervisor
	}
	return UserModeEmulation(h, goarch)
}
