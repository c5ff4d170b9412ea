//go:build !linux

package structures

func refuseHuge() {}

func prepareProcess() bool { return false }

// residentMemory: no other kernel's count of private memory is comparable.
func residentMemory() (memory, string) { return memory{}, "" }

func peakResident() *int64 { return nil }
