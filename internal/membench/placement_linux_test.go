package membench

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"wordsize/internal/result"
)

func TestAddPlacement(t *testing.T) {
	var b []byte
	entry := func(frame uint64, flags uint64) { b = binary.NativeEndian.AppendUint64(b, frame|flags) }
	entry(1, pagemapPresent)                 // 4 KiB
	entry(0x38000-1, pagemapPresent|1<<61)   // the last page below 896 MiB, with another flag
	entry(0x38000, pagemapPresent)           // the first above
	entry(0x100000, pagemapPresent)          // 4 GiB
	entry(0x100000000, pagemapPresent|1<<55) // 16 TiB, soft-dirty
	entry(77, 1<<62)                         // swapped: not in memory
	var p result.Placement
	shown, err := addPlacement(&p, bytes.NewReader(b), 4096)
	want := result.Placement{Below16MiB: 4096, Below896MiB: 4096, Below4GiB: 4096, Above4GiB: 8192}
	if err != nil || !shown || p != want {
		t.Errorf("%+v, shown %v, %v; want %+v", p, shown, err, want)
	}
	if p.Bytes() != 5*4096 {
		t.Errorf("%d bytes in all", p.Bytes())
	}
	// Without the right to see them, frame numbers read as zero.
	var hidden result.Placement
	if shown, _ := addPlacement(&hidden, bytes.NewReader(binary.NativeEndian.AppendUint64(nil, pagemapPresent)), 4096); shown {
		t.Error("hidden frame numbers are taken for shown")
	}
}

// As root the bands add up to the chunk; as somebody else nothing is claimed.
func TestPlacementOfRealWorkers(t *testing.T) {
	run, err := Run(t.Context(), config(t, 1), env(t, processes(t)))
	if err != nil {
		t.Fatal(err)
	}
	w := run.Launches[0].Phases[0].Workers[0]
	switch {
	case w.Placement != nil:
		if got := w.Placement.Bytes(); got != run.Args.ChunkBytes {
			t.Errorf("%d bytes placed of a chunk of %d", got, run.Args.ChunkBytes)
		}
	case os.Geteuid() == 0:
		t.Log("root without CAP_SYS_ADMIN, or a kernel without pagemap: placement unknown")
	}
}
