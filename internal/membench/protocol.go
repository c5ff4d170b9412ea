package membench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"wordsize/internal/result"
)

// The conversation with a worker, one JSON object a line. Lines of a worker
// carry linePrefix, so that a runner's own output on the same pipe is told
// from them, even where that leaves a line unfinished. Times are absolute, on
// the phase's clock.
//
//	parent               worker
//	setup{spec}      →
//	                 ←   hello{protocol, pid}
//	                 ←   ready (chunk mapped, touched and warm)
//	go{start_ns}     →
//	                 ←   progress{passes}, if asked for
//	                 ←   done{passes}: the counted passes are made
//	stop             →   ceases to write, verifies
//	                 ←   result{worker}
//
// When workers are threads, one process stands for all: it says one hello,
// gets a setup for each, and marks each other message with the thread; go and
// stop are for all of them.
//
// A worker ends at once when its standard input does.
const (
	linePrefix      = "wordsize-worker "
	protocolVersion = 3
)

// spec tells a worker what to do.
type spec struct {
	Index      int      `json:"index"`
	Threads    int      `json:"threads,omitempty"` // so many setups go to this process; 0: one
	ChunkBytes int64    `json:"chunk_bytes"`
	Kernel     string   `json:"kernel"` // NAME/TIER
	CPU        *int     `json:"cpu,omitempty"`
	Pages      Pages    `json:"pages"`
	HugeBytes  int64    `json:"huge_bytes,omitempty"` // size of a hugetlb page
	Warmup     int      `json:"warmup"`
	NUMA       *binding `json:"numa,omitempty"` // of the chunk's memory
	Seed       uint32   `json:"seed"`
	Passes     int64    `json:"passes"` // to make; 0: as many as fill MinTimeNS
	MinTimeNS  int64    `json:"min_time_ns"`
	Hold       bool     `json:"hold"` // go on until stopped
	Verify     bool     `json:"verify"`
	Progress   bool     `json:"progress"`
	Batch      int      `json:"batch,omitempty"`     // goes over the chunk that make a pass; 0: one
	WarmNS     int64    `json:"warm_ns,omitempty"`   // warm-up passes go on for so long at least
	TimeCall   bool     `json:"time_call,omitempty"` // say what a call of the loop costs by itself
	Lines      int64    `json:"lines,omitempty"`     // above 0: follow pointers through so many cache lines of the chunk
	Delay      int      `json:"delay,omitempty"`     // turns of an idle loop after each piece of pieceBytes
}

type command struct {
	Op      string `json:"op"` // "setup", "go" or "stop"
	Spec    *spec  `json:"spec,omitempty"`
	StartNS int64  `json:"start_ns,omitempty"`
}

// Kinds of messages.
const (
	msgHello    = "hello"
	msgReady    = "ready"
	msgProgress = "progress"
	msgDone     = "done"
	msgResult   = "result"
	msgError    = "error"
)

type message struct {
	Kind        string         `json:"kind"`
	Protocol    int            `json:"protocol,omitempty"`
	PID         int            `json:"pid,omitempty"`
	Thread      int            `json:"thread,omitempty"` // index among those of the process
	Passes      int64          `json:"passes,omitempty"`
	NowNS       int64          `json:"now_ns,omitempty"` // with hello
	Worker      *result.Worker `json:"worker,omitempty"`
	Mismatch    *Mismatch      `json:"mismatch,omitempty"`
	SumMismatch *SumMismatch   `json:"sum_mismatch,omitempty"`
	Error       string         `json:"error,omitempty"`
}

// Mismatch is a word that did not hold what was written to it.
type Mismatch struct {
	Worker   int    `json:"worker"`
	Offset   int64  `json:"offset"` // bytes from the start of the chunk
	Expected uint32 `json:"expected"`
	Found    uint32 `json:"found"`
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("worker %d: memory is wrong at offset %d: expected %#08x, found %#08x: bad memory, or a bug of this program", m.Worker, m.Offset, m.Expected, m.Found)
}

// SumMismatch is a sum that the read kernel got wrong though the memory holds
// what it should: what was read was not what is there.
type SumMismatch struct {
	Worker   int    `json:"worker"`
	Pass     int64  `json:"pass"` // from 1, warm-up included
	Expected uint64 `json:"expected"`
	Found    uint64 `json:"found"`
}

func (m *SumMismatch) Error() string {
	return fmt.Sprintf("worker %d: pass %d read wrong: expected the sum %#016x, found %#016x, though the memory now holds what it should: bad memory, or a bug of this program", m.Worker, m.Pass, m.Expected, m.Found)
}

func writeMessage(w io.Writer, m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	line := append(append([]byte(linePrefix), b...), '\n')
	_, err = w.Write(line)
	return err
}

// readMessages calls each for every message until the stream ends. Lines
// that aren't a worker's are passed over.
func readMessages(r io.Reader, each func(message)) error {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if _, rest, ok := bytes.Cut(line, []byte(linePrefix)); ok {
			var m message
			if jerr := json.Unmarshal(rest, &m); jerr != nil {
				return fmt.Errorf("worker's message %.60q: %w", rest, jerr)
			}
			each(m)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
