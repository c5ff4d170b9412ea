package footprint

// blockPages is how many pages are read at a time: one bit each in a mask.
const blockPages = 64

// maxBlocks bounds the list of blocks of one process.
const maxBlocks = 1 << 16

// block is a stretch of blockPages pages, of which those in mask are private
// and in memory.
type block struct {
	addr uint64
	mask uint64
	vma  int
}

// listBlocks finds the private pages that are in memory, by pagemap. Of very
// large mappings every step-th block is looked up only.
func listBlocks(t Target, maps []vma, pick func(int) bool) (blocks []block, pages uint64, err error) {
	page := uint64(t.PageSize())
	stretch := page * blockPages
	total := uint64(0)
	for i := range maps {
		if pick(i) {
			total += maps[i].size()
		}
	}
	step := total/stretch/(16*maxBlocks) + 1
	entries := make([]uint64, blockPages*64)
	for i := range maps {
		if !pick(i) {
			continue
		}
		m := &maps[i]
		for at := m.start; at < m.end; {
			lo := at
			if step > 1 {
				at = lo&^(stretch-1) + stretch*step
			} else {
				at = min(m.end, (lo&^(stretch-1))+stretch*64)
			}
			hi := min(m.end, at)
			if step > 1 {
				hi = min(m.end, lo&^(stretch-1)+stretch)
			}
			n, e := t.Pagemap(entries[:(hi-lo)/page], lo)
			if e != nil {
				return blocks, pages, e
			}
			for j, entry := range entries[:n] {
				if !privatePage(entry) {
					continue
				}
				pages++
				a := lo + uint64(j)*page
				base := a &^ (stretch - 1)
				if k := len(blocks); k == 0 || blocks[k-1].addr != base || blocks[k-1].vma != i {
					blocks = append(blocks, block{addr: base, vma: i})
				}
				blocks[len(blocks)-1].mask |= 1 << ((a - base) / page)
			}
		}
	}
	return blocks, pages, nil
}

// passes orders blocks so that any number of them from the start on is spread
// over all mappings: in each pass every n-th block, in the order of addresses.
func passes(blocks []block, n int) []block {
	out := make([]block, 0, len(blocks))
	step := n*5/8 | 1 // from pass to pass
	for gcd(step, n) != 1 {
		step += 2
	}
	for p := range n {
		for i := p * step % n; i < len(blocks); i += n {
			out = append(out, blocks[i])
		}
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
