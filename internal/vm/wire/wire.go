// Package wire is the protocol between the guest's init and the runner on the
// host. It runs over a byte stream that keeps order and loses nothing (a
// virtio-serial port): standard output and standard error stay apart, arrive
// in the order they were written and may hold any byte.
//
// A frame is 17 bytes of header, then the payload:
//
//	0  magic   2 bytes "wV"
//	2  type    1 byte
//	3  job     2 bytes, little endian: which of the spec's jobs it belongs to
//	5  length  4 bytes, little endian: bytes of payload
//	9  sum     4 bytes, little endian: CRC-32 (IEEE) of the payload
//	13 check   4 bytes, little endian: CRC-32 (IEEE) of the 13 bytes before
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// Type says what a frame means.
type Type byte

// The frames of the guest, and the single one of the host, Ack.
const (
	Hello  Type = 1 + iota // init is up: payload guest.Hello as JSON
	Start                  // a job starts: no payload
	Stdout                 // bytes of the job's standard output
	Stderr                 // bytes of the job's standard error
	Note                   // one line for the user, from init itself
	Exit                   // a job ended: payload guest.Exit as JSON
	Fail                   // the machine cannot do its work: payload the reason
	End                    // all jobs have ended
	Ack                    // host to guest: all is read, power off
	last
)

var typeNames = [last]string{Hello: "hello", Start: "start", Stdout: "stdout", Stderr: "stderr",
	Note: "note", Exit: "exit", Fail: "fail", End: "end", Ack: "ack"}

// String returns the type's name.
func (t Type) String() string {
	if t > 0 && t < last {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", byte(t))
}

// MaxPayload is the largest payload in bytes; Writer.Stream splits longer data.
const MaxPayload = 1 << 16

const headerLen = 17

// ErrBroken means that the stream does not hold a valid frame where one should
// begin: what follows cannot be trusted.
var ErrBroken = errors.New("wire: damaged frame")

// Frame is one message.
type Frame struct {
	Type Type
	Job  int // index of the job in the spec, 0 to 65535
	Data []byte
}

// Writer writes frames; several goroutines may share it.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends one frame in a single write to the underlying stream.
func (w *Writer) Write(f Frame) error {
	if f.Job < 0 || f.Job > 0xffff || len(f.Data) > MaxPayload || f.Type == 0 || f.Type >= last {
		return fmt.Errorf("wire: frame out of range: %v, job %d, %d bytes", f.Type, f.Job, len(f.Data))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := append(w.buf[:0], 'w', 'V', byte(f.Type))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Job))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Data)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(f.Data))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	w.buf = append(b, f.Data...)
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("wire: %v frame: %w", f.Type, err)
	}
	return nil
}

// Stream returns an io.Writer whose bytes become frames of one type and job.
func (w *Writer) Stream(t Type, job int) io.Writer { return &stream{w: w, t: t, job: job} }

type stream struct {
	w   *Writer
	t   Type
	job int
}

func (s *stream) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n := min(len(b)-done, MaxPayload)
		if err := s.w.Write(Frame{Type: s.t, Job: s.job, Data: b[done : done+n]}); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Read returns the next frame. It returns io.EOF at the clean end of the
// stream, io.ErrUnexpectedEOF inside a frame and an error that wraps ErrBroken
// where the bytes are no frame.
func Read(r io.Reader) (Frame, error) {
	var h [headerLen]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return Frame{}, err
	}
	f := Frame{Type: Type(h[2]), Job: int(binary.LittleEndian.Uint16(h[3:]))}
	n := binary.LittleEndian.Uint32(h[5:])
	switch {
	case h[0] != 'w' || h[1] != 'V':
		return Frame{}, fmt.Errorf("%w: bytes % x where a frame should begin", ErrBroken, h[:2])
	case binary.LittleEndian.Uint32(h[13:]) != crc32.ChecksumIEEE(h[:13]):
		return Frame{}, fmt.Errorf("%w: checksum of the header", ErrBroken)
	case n > MaxPayload || f.Type == 0 || f.Type >= last:
		return Frame{}, fmt.Errorf("%w: %v with %d bytes", ErrBroken, f.Type, n)
	}
	f.Data = make([]byte, n)
	if _, err := io.ReadFull(r, f.Data); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	if binary.LittleEndian.Uint32(h[9:]) != crc32.ChecksumIEEE(f.Data) {
		return Frame{}, fmt.Errorf("%w: checksum of a %v frame", ErrBroken, f.Type)
	}
	return f, nil
}
