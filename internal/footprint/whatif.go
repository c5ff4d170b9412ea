// Package footprint answers what a running process would take as a build of
// another word size.
//
// The estimate looks at the private pages of a process that are in memory. It
// recognises the allocators that made the objects in them, tells pointers,
// numbers and text apart word by word over all objects of a kind, and computes
// what each kind of object takes in the other data model with the rounding of
// the same allocator. See docs/whatif.md.
package footprint

import (
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wordsize/internal/result"
)

// Options of an estimate.
type Options struct {
	Model  string        // ilp32, x32, ptr32 or lp64; "" for the one of the other word size
	Ints   string        // word, fixed or "": what the user knows of bare integers
	Budget int64         // bytes to read at most; 0 for all
	Limit  time.Duration // time to take at most; 0 for no limit
	Top    int           // mappings to list
}

// analysis is one estimate in the making.
type analysis struct {
	opt     Options
	t       Target
	maps    []vma
	kinds   []kind
	region  []int // of each mapping
	names   []regionName
	scan    scanner
	rec     *result.WhatIfProcess
	read    uint64
	begin   time.Time
	private uint64
	bits    int
	golang  bool // the program is Go's
}

type regionName struct {
	name  string
	kind  kind
	count int
	anon  uint64
	read  uint64
	why   string // why it was not read
}

// Analyze estimates one process. An error says that there is no estimate.
func Analyze(ctx context.Context, t Target, opt Options) (*result.WhatIfProcess, error) {
	a := &analysis{opt: opt, t: t, rec: &result.WhatIfProcess{}, begin: time.Now()}
	if err := a.facts(); err != nil {
		return a.rec, err
	}
	if err := a.prepare(); err != nil {
		return a.rec, err
	}
	if err := a.sample(ctx); err != nil {
		return a.rec, err
	}
	a.conclude()
	a.rec.Coverage.Seconds = time.Since(a.begin).Seconds()
	return a.rec, nil
}

// facts reads what the kernel says.
func (a *analysis) facts() error {
	b, err := a.t.File("smaps")
	if err != nil {
		return fmt.Errorf("smaps: %w", err)
	}
	if a.maps, err = parseSmaps(b); err != nil {
		return err
	}
	if len(a.maps) == 0 {
		if !a.t.Alive() {
			return ErrGone
		}
		return errNoMemory
	}
	r := a.rec
	var pss uint64
	for i := range a.maps {
		var prev *vma
		if i > 0 {
			prev = &a.maps[i-1]
		}
		m := &a.maps[i]
		k := kindOf(m, prev)
		a.kinds = append(a.kinds, k)
		r.RSSBytes += int64(m.rss)
		a.private += m.anon
		pss += m.pss
		if k == kindShared {
			r.SharedBytes += int64(m.rss - m.anon)
		} else {
			r.FileBytes += int64(m.rss - m.anon)
		}
	}
	r.PrivateBytes = int64(a.private)
	r.PSSBytes = result.Some(int64(pss))
	a.status()
	a.machine()
	return nil
}

// errNoMemory is the error for kernel threads.
var errNoMemory = errors.New("it has no memory of its own: a kernel thread, or a process that is ending")

func (a *analysis) status() {
	b, err := a.t.File("status")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(line, ":")
		if key == "VmPeak" {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 53)
			if err == nil {
				a.rec.VMPeakBytes = result.Some(kb << 10)
			}
		}
	}
}

// machine finds the word size: of the program, or, where that may not be
// read, by the addresses in use.
func (a *analysis) machine() {
	a.bits = 32
	for i := range a.maps {
		if a.maps[i].start >= 1<<32 && a.maps[i].name != "[vsyscall]" {
			a.bits = 64
		}
	}
	if f, err := a.t.Program(); err == nil {
		if e, err := elf.NewFile(f); err == nil {
			a.rec.Machine = strings.ToLower(strings.TrimPrefix(e.Machine.String(), "EM_"))
			for _, s := range e.Sections {
				a.golang = a.golang || strings.HasSuffix(s.Name, ".gopclntab") || s.Name == ".go.buildinfo"
			}
		}
		f.Close()
	}
	a.rec.Bits = a.bits
}

// prepare chooses the models and divides the mappings into regions.
func (a *analysis) prepare() error {
	from := worlds["lp64"]
	model := a.opt.Model
	if a.bits == 32 {
		from = worlds["ilp32"]
	}
	if model == "" {
		model = "ilp32"
		if a.bits == 32 {
			model = "lp64"
		}
	}
	to, ok := worlds[model]
	if !ok {
		return fmt.Errorf("model %q: use ilp32, x32, ptr32 or lp64", model)
	}
	a.rec.Model = model
	s := &a.scan
	s.l = layout{int(from.word)}
	s.from, s.to = from, to
	s.w = widths{from: from.word, to: to.word, ptrOnly: to.long == from.long && to.word != from.word, golang: a.golang, ints: a.opt.Ints}
	s.sp = newSpace(a.maps)
	s.shapes = newShapes()
	s.peek = a.peek
	a.recognise()
	a.makeRegions()
	return nil
}

// label names a mapping.
func (a *analysis) label(i int) string {
	m := &a.maps[i]
	if a.scan.spans != nil && m.name == "" && a.scan.spans.covers(m.start, m.end) {
		return "Go heap"
	}
	return label(m, a.kinds[i])
}

// makeRegions gives the largest mappings a region each, or one for those of a
// name; the rest is taken together by kind.
func (a *analysis) makeRegions() {
	type group struct {
		name string
		kind kind
	}
	sum := map[group]uint64{}
	for i := range a.maps {
		sum[group{a.label(i), a.kinds[i]}] += a.maps[i].anon
	}
	var order []group
	for g := range sum {
		order = append(order, g)
	}
	slices.SortFunc(order, func(x, y group) int {
		return cmp.Or(cmp.Compare(sum[y], sum[x]), strings.Compare(x.name, y.name), cmp.Compare(x.kind, y.kind))
	})
	index := map[group]int{}
	for _, g := range order {
		if len(a.names) < maxRegions-1 {
			index[g] = len(a.names)
			a.names = append(a.names, regionName{name: g.name, kind: g.kind})
		}
	}
	other := -1
	a.region = make([]int, len(a.maps))
	for i := range a.maps {
		ri, ok := index[group{a.label(i), a.kinds[i]}]
		if !ok {
			if other < 0 {
				other = len(a.names)
				a.names = append(a.names, regionName{name: "others", kind: kindData})
			}
			ri = other
		}
		a.region[i] = ri
		a.names[ri].count++
		a.names[ri].anon += a.maps[i].anon
		if why := a.maps[i].forbidden(); why != "" {
			a.names[ri].why = why
		}
	}
	a.scan.regions = make([]region, len(a.names))
}

// leastBlocks is how many blocks are read even when the time is over: on a
// busy host a poor estimate is better than none.
const leastBlocks = 32

// sample reads and looks at blocks until budget or time are used up.
func (a *analysis) sample(ctx context.Context) error {
	blocks, pages, err := listBlocks(a.t, a.maps, func(i int) bool {
		m := &a.maps[i]
		return m.anon > 0 && m.readable() && m.forbidden() == "" && m.name != "[vsyscall]"
	})
	if err != nil && len(blocks) == 0 {
		return fmt.Errorf("pagemap: %w", err)
	}
	page := uint64(a.t.PageSize())
	if a.opt.Budget > 0 {
		if n := int(pages * page / uint64(max(1, a.opt.Budget))); n > 0 {
			blocks = passes(blocks, n+1)
			blocks = passes(blocks[:len(blocks)/(n+1)+1], 1)
		}
	}
	n := 1
	if len(blocks)*blockPages*int(page) > 24<<20 {
		n = 4
	}
	buf := make([]byte, blockPages*page)
	for i, b := range passes(blocks, n) {
		if ctx.Err() != nil || i >= leastBlocks && a.opt.Limit > 0 && time.Since(a.begin) > a.opt.Limit {
			break
		}
		if err := a.block(b, buf, page); err != nil {
			a.rec.Partial = true
			if !a.t.Alive() {
				break
			}
			a.problem("read", err.Error())
		}
	}
	if !a.t.Alive() {
		a.rec.Partial = true
		a.problem("ended", "the process ended while it was being read")
	}
	if a.read == 0 && a.private > 0 {
		return errors.New("nothing of its private memory could be read")
	}
	return nil
}

// block reads the runs of pages of one block.
func (a *analysis) block(b block, buf []byte, page uint64) error {
	for i := uint64(0); i < blockPages; {
		if b.mask>>i&1 == 0 {
			i++
			continue
		}
		j := i
		for j < blockPages && b.mask>>j&1 == 1 {
			j++
		}
		addr := b.addr + i*page
		n, err := a.t.Read(buf[:(j-i)*page], addr)
		if n &^= int(page - 1); n == 0 {
			if err == nil {
				err = fmt.Errorf("nothing to read at %#x", addr)
			}
			return err
		}
		a.read += uint64(n)
		ri := a.region[b.vma]
		a.names[ri].read += uint64(n)
		a.scan.block(ri, &a.maps[b.vma], a.kinds[b.vma], addr, buf[:n])
		i = j
	}
	return nil
}

func (a *analysis) problem(code, text string) {
	for _, p := range a.rec.Problems {
		if p.Code == code {
			return
		}
	}
	a.rec.Problems = append(a.rec.Problems, result.WhatIfNote{Code: code, Text: text})
}
