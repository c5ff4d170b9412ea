package membench

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

func TestParseKernels(t *testing.T) {
	specs, all, err := ParseKernels("all")
	if err != nil || len(all) < 12 || len(all) != len(specs) {
		t.Fatalf("all: %v, %v", specs, err)
	}
	for i, v := range all {
		if v.Kernel.Name != specs[i] || v.Tier.Unusable() != "" {
			t.Errorf("%s: %v", specs[i], v)
		}
	}
	specs, all, err = ParseKernels("triad,read/go")
	if err != nil || !slices.Equal(specs, []string{"triad", "read/go"}) || all[0].Kernel.Name != "triad" || all[1].String() != "read/go" {
		t.Errorf("list: %v, %v, %v", specs, all, err)
	}
	var choice *kernel.SelectError
	for _, s := range []string{"read,", ",read", "read,all", "read, copy", "all,read"} {
		if _, _, err := ParseKernels(s); !errors.As(err, &choice) {
			t.Errorf("%q: error %v, want a *kernel.SelectError", s, err)
		}
	}
	_, _, err = ParseKernels("generic,write,generic/go")
	refuses(t, err, "--kernel", "generic,write,generic/go")
	if threads, err := ParseParallel("threads"); !threads || err != nil {
		t.Errorf("threads: %v, %v", threads, err)
	}
	_, err = ParseParallel("fibers")
	refuses(t, err, "--parallel", "fibers")
}

func kernelConfigs(t *testing.T, names ...string) (all []Config) {
	t.Helper()
	for _, n := range names {
		c := config(t, 1)
		c.KernelSpec, c.Kernel = n, mustKernel(t, n)
		all = append(all, c)
	}
	return all
}

// Each launch begins with the next kernel, and each record is one of its own.
func TestKernelsTakeTurns(t *testing.T) {
	f := &fakes{passNS: 1e6}
	cfgs := kernelConfigs(t, "read", "copy", "triad")
	for i := range cfgs {
		cfgs[i].Repeat = 2
	}
	runs, err := RunKernels(t.Context(), cfgs, env(t, f))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for i, s := range f.specs {
		if i%2 == 0 { // a single phase, a parallel one
			name, _, _ := strings.Cut(s.Kernel, "/")
			order = append(order, name)
		}
	}
	if want := []string{"read", "copy", "triad", "copy", "triad", "read"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	for i, run := range runs {
		k := cfgs[i].Kernel.Kernel
		if run.Kernel.Name != k.Name || run.Args.Kernel != k.Name || len(run.Launches) != 2 || run.ElapsedNS <= 0 || run.Kernel.Arrays != k.Arrays() {
			t.Errorf("record %d: %+v of %s, %d launches, %d ns", i, run.Kernel, k.Name, len(run.Launches), run.ElapsedNS)
		}
		if i > 0 && !run.Started.After(runs[i-1].Started) {
			t.Errorf("%s started at %v, the one before at %v", k.Name, run.Started, runs[i-1].Started)
		}
	}
	if b := runs[2].Kernel; b.ArrayBytes != 3<<20 || b.BytesPerPass != 9<<20 || *b.BusBytesPerPass != 12<<20 {
		t.Errorf("triad over 9 MiB: %+v", b)
	}
}

func TestChunkTooSmallToDivide(t *testing.T) {
	cfgs := kernelConfigs(t, "read", "triad")
	for i := range cfgs {
		cfgs[i].ChunkBytes, cfgs[i].Force = 8<<10, true
	}
	f := &fakes{passNS: 1e6}
	_, err := RunKernels(t.Context(), cfgs, env(t, f))
	refuses(t, err, "MB", "8K")
	if len(f.specs) != 0 {
		t.Error("workers were started all the same")
	}
}

// A changed byte in any array of any kernel is found, wherever it is.
func TestBadMemoryIsFoundInEveryArray(t *testing.T) {
	const third = 3 << 20
	for _, name := range []string{"read", "copy", "scale", "add", "triad", "rmw", "memmove"} {
		for _, offset := range []int{4, third + 8, 2*third + 40, 9<<20 - 4} {
			t.Setenv(envCorrupt, strconv.Itoa(offset))
			c := kernelConfigs(t, name)[0]
			_, err := Run(t.Context(), c, env(t, processes(t)))
			var bad *Mismatch
			if !errors.As(err, &bad) || bad.Offset != int64(offset) || bad.Expected^bad.Found != 1<<7 {
				t.Errorf("%s: error %v, want a mismatch at offset %d", name, err, offset)
			}
		}
	}
}

// A sum that is wrong though memory is right again is told as such.
func TestWrongSumIsFound(t *testing.T) {
	w := &worker{loop: mustKernel(t, "read"), plain: mustKernel(t, "write"), chunk: heapChunk(kernel.Block, 8192)}
	w.layout = w.chunk.divide(w.loop.Kernel)
	w.touch()
	w.onePass()
	spoilt := (*byte)(unsafe.Add(w.chunk.segments[1].base, 777))
	*spoilt++
	w.onePass()
	*spoilt--
	w.onePass()
	err := w.verify()
	var bad *SumMismatch
	if !errors.As(err, &bad) || bad.Pass != 2 || bad.Expected == bad.Found {
		t.Errorf("error %v, want a *SumMismatch of pass 2", err)
	}
}

// Each mapping is divided on its own, and every byte of every array is
// visited once, in order.
func TestLayoutCoversEveryArrayOnce(t *testing.T) {
	c := heapChunk(3*kernel.Block+3*4096+4096, 8192, 9*4096)
	for name, arrays := range map[string]int64{"read": c.bytes, "copy": (3*kernel.Block+4*4096)/2 + 4096 + 4*4096, "triad": kernel.Block + 4096 + 3*4096} {
		l := c.divide(mustKernel(t, name).Kernel)
		if l.bytes != arrays {
			t.Errorf("%s: arrays of %d bytes, want %d", name, l.bytes, arrays)
		}
		seen := make(map[uintptr]bool)
		var next int64
		var o kernel.Operands
		l.blocks(&o, func(offset int64) bool {
			if offset != next || o.N == 0 || o.N > kernel.Block {
				t.Fatalf("%s: a block of %d at %d, want one at %d", name, o.N, offset, next)
			}
			for a := range l.arrays {
				for at := uintptr(0); at < o.N; at += 4096 {
					p := uintptr(o.P[a]) + at
					if seen[p] {
						t.Fatalf("%s: array %d overlaps another at %d", name, a, offset)
					}
					seen[p] = true
				}
			}
			next += int64(o.N)
			return true
		})
		if next != l.bytes || int64(len(seen)) != int64(l.arrays)*l.bytes/4096 {
			t.Errorf("%s: %d of %d bytes, %d pages", name, next, l.bytes, len(seen))
		}
		touched := int64(0)
		l.touch(func(_ int, _ unsafe.Pointer, n uintptr) { touched += int64(n) })
		if touched != c.bytes {
			t.Errorf("%s: %d of %d bytes touched", name, touched, c.bytes)
		}
	}
}

func TestRecordSaysWhatTheWorkersWere(t *testing.T) {
	run, err := fakeRun(t, &fakes{passNS: 1e6}, nil)
	if err != nil || run.Args.Parallel != result.ParallelProcesses {
		t.Errorf("%q, %v", run.Args.Parallel, err)
	}
}
