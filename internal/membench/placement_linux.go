package membench

import (
	"encoding/binary"
	"io"
	"os"

	"wordsize/internal/result"
)

// Fields of an entry of /proc/PID/pagemap: 64 bits a page, on every
// architecture (Documentation/admin-guide/mm/pagemap.rst).
const (
	pagemapEntry   = 8
	pagemapPresent = 1 << 63
	pagemapFrame   = 1<<55 - 1
)

// readPlacement tells where the chunk lies physically; nil when the kernel
// doesn't show it: frame numbers need CAP_SYS_ADMIN and read as zero without.
func (w *worker) readPlacement() *result.Placement {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	defer f.Close()
	page := uint64(os.Getpagesize())
	var p result.Placement
	shown := false
	for _, s := range w.chunk.segments {
		offset := int64(uint64(uintptr(s.base)) / page * pagemapEntry)
		entries := int64((s.size + page - 1) / page)
		known, err := addPlacement(&p, io.NewSectionReader(f, offset, entries*pagemapEntry), int64(page))
		if err != nil {
			return nil
		}
		shown = shown || known
	}
	if !shown {
		return nil
	}
	return &p
}

// addPlacement reads entries of pages and counts those that are present. It
// says whether any frame number was shown.
func addPlacement(p *result.Placement, entries io.Reader, page int64) (shown bool, err error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(entries, buf)
		for i := 0; i+pagemapEntry <= n; i += pagemapEntry {
			e := binary.NativeEndian.Uint64(buf[i:])
			if e&pagemapPresent == 0 {
				continue
			}
			frame := e & pagemapFrame
			shown = shown || frame != 0
			p.Add(frame*uint64(page), page)
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return shown, nil
		default:
			return shown, err
		}
	}
}
