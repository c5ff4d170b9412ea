//go:build purego || !(386 || amd64 || arm64)

package kernel

// Assembly says whether this build has loops in assembly.
const Assembly = false

func archWrite() []Tier     { return nil }
func archWriteNT() []Tier   { return nil }
func archWriteInt() []Tier  { return nil }
func archWriteWord() []Tier { return nil }
func archZero() []Tier      { return nil }
func archRead() []Tier      { return nil }
func archCopy() []Tier      { return nil }
func archCopyNT() []Tier    { return nil }
func archScale() []Tier     { return nil }
func archAdd() []Tier       { return nil }
func archTriad() []Tier     { return nil }
func archTriadNT() []Tier   { return nil }
func archRMW() []Tier       { return nil }

func fence() {}
