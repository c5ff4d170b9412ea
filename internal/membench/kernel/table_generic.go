//go:build purego || !(386 || amd64 || arm64)

package kernel

// Assembly says whether this build has loops in assembly.
const Assembly = false

func archWrite() []Tier     { return nil }
func archWriteNT() []Tier   { return nil }
func archWriteInt() []Tier  { return nil }
func archWriteWord() []Tier { return nil }
func archZero() []Tier      { return nil }

func fence() {}
