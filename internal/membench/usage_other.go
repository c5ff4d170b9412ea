//go:build !linux

package membench

import "errors"

type usage struct{ minor, major, preempted, cpuNS int64 }

func threadUsage() (usage, bool) { return usage{}, false }

func currentCPU() *int { return nil }

func pinThread(int) error { return errors.New("pinning: only on Linux") }

func volunteerForOOM() *int { return nil }
