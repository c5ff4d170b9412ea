package kernel

// Table returns all kernels, in the order in which they are listed. The same
// names exist on every architecture; tiers differ.
func Table() []Kernel {
	return []Kernel{
		{
			Name:  "write",
			Doc:   "vector stores of a 32-bit pattern",
			Tiers: append(archWrite(), goTier(fillGo, "plain Go, 4 bytes a store")),
		},
		{
			Name:  "write-nt",
			Doc:   "non-temporal stores, which bypass the caches",
			Tiers: orMissing(archWriteNT(), "non-temporal stores"),
		},
		{
			Name:  "write-int",
			Doc:   "one 32-bit store an instruction, as test-mem's compiled loop did",
			Tiers: append(archWriteInt(), goTier(fillGo, "plain Go, 4 bytes a store")),
		},
		{
			Name:  "write-word",
			Doc:   "one store of the build's own word: 4 bytes in 32-bit builds, 8 in 64-bit ones",
			Tiers: append(archWriteWord(), goTier(fillWordGo, "plain Go, one word a store")),
		},
		{
			Name: "zero", Zero: true,
			Doc:   "the machine's own ways to clear memory",
			Tiers: append(archZero(), goTier(zeroGo, "plain Go, the runtime's memory clear")),
		},
		{
			Name:  "generic",
			Doc:   "the plain Go loop, in every build",
			Tiers: []Tier{goTier(fillGo, "plain Go, 4 bytes a store")},
		},
		{
			Name: "read", op: opSum,
			Doc:   "sum of 64-bit words: loads alone",
			Tiers: append(archRead(), Tier{Name: "go", Doc: "plain Go, 8 bytes a load", sum: sumGo}),
		},
		{
			Name: "copy", op: opCopy,
			Doc:   "a = b, as STREAM's Copy",
			Tiers: append(archCopy(), goStream(copyGo)),
		},
		{
			Name: "copy-nt", op: opCopy,
			Doc:   "a = b with non-temporal stores",
			Tiers: orMissing(archCopyNT(), "non-temporal stores"),
		},
		{
			Name: "scale", op: opScale,
			Doc:   "a = s*b, as STREAM's Scale",
			Tiers: append(archScale(), goStream(scaleGo)),
		},
		{
			Name: "add", op: opAdd,
			Doc:   "a = b + c, as STREAM's Add",
			Tiers: append(archAdd(), goStream(addGo)),
		},
		{
			Name: "triad", op: opTriad,
			Doc:   "a = b + s*c, as STREAM's Triad",
			Tiers: append(archTriad(), goStream(triadGo)),
		},
		{
			Name: "triad-nt", op: opTriad,
			Doc:   "a = b + s*c with non-temporal stores",
			Tiers: orMissing(archTriadNT(), "non-temporal stores"),
		},
		{
			Name: "rmw", op: opRMW,
			Doc:   "a += pattern: each word is read, changed and written back",
			Tiers: append(archRMW(), Tier{Name: "go", Doc: "plain Go, 4 bytes an addition", fill: rmwGo}),
		},
		{
			Name: "memmove", op: opCopy,
			Doc:   "a = b by the Go runtime's copy",
			Tiers: []Tier{{Name: "go", Doc: "the runtime's memmove, which chooses its stores itself", unknownStores: true, stream: memmoveGo}},
		},
	}
}

// goStream is the plain Go tier of a kernel of two or three arrays.
func goStream(f streamFunc) Tier {
	return Tier{Name: "go", Doc: "plain Go, 8 bytes a store", WriteAllocate: true, stream: f}
}

func goTier(f fillFunc, doc string) Tier {
	return Tier{Name: "go", Doc: doc, WriteAllocate: true, fill: f}
}

// orMissing gives a kernel without any implementation one tier that says why
// it cannot be used.
func orMissing(tiers []Tier, what string) []Tier {
	if len(tiers) > 0 {
		return tiers
	}
	return []Tier{{Name: "none", Doc: "-", unusable: "this build has no assembly for " + what}}
}

// needs marks a tier as unusable with the reason unless have is true.
func needs(have bool, reason string, t Tier) Tier {
	if !have {
		t.unusable = reason
	}
	return t
}
