// Package transfer sends a stream in writes of one size and checks it at the
// other end.
package transfer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Conn is a connection that can end one direction: *net.TCPConn, and that of
// a stack in user space.
type Conn interface {
	io.ReadWriteCloser
	CloseWrite() error
	SetDeadline(time.Time) error
}

// MaxSize is the largest write and read in bytes.
const MaxSize = 1 << 20

// period is the length of the stream's pattern: a prime, so that no power of
// two bytes can be lost or repeated unseen.
const period = 251

// pattern returns n bytes from which any part of the stream of up to n-period
// bytes can be cut.
func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i % period)
	}
	return p
}

// A Result is what went over a connection.
type Result struct {
	Bytes int64
	Took  time.Duration // sender: until the receiver had all; receiver: from the first byte to the last
}

// MBPerSecond is the rate in 10^6 bytes a second.
func (r Result) MBPerSecond() float64 {
	if r.Took <= 0 {
		return 0
	}
	return float64(r.Bytes) / 1e6 / r.Took.Seconds()
}

// answerTime is how long the other side may take to end a transfer.
const answerTime = 30 * time.Second

// Send writes size bytes at a time for as long as d, then waits until the
// receiver confirms how much it got.
func Send(ctx context.Context, conn Conn, size int, d time.Duration) (r Result, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	text := pattern(period + size)
	start := time.Now()
	for at := 0; time.Since(start) < d; at = (at + size) % period {
		n, err := conn.Write(text[at : at+size])
		r.Bytes += int64(n)
		if err != nil {
			return r, errors.Join(fmt.Errorf("send: %w", err), ctx.Err())
		}
	}
	if err := conn.CloseWrite(); err != nil {
		return r, fmt.Errorf("end of sending: %w", err)
	}
	if ctx.Err() == nil {
		_ = conn.SetDeadline(time.Now().Add(answerTime))
	}
	var got [8]byte
	if _, err := io.ReadFull(conn, got[:]); err != nil {
		return r, errors.Join(fmt.Errorf("the receiver's answer: %w", err), ctx.Err())
	}
	r.Took = time.Since(start)
	if n := binary.BigEndian.Uint64(got[:]); n != uint64(r.Bytes) {
		return r, fmt.Errorf("sent %d bytes, the receiver got %d", r.Bytes, n)
	}
	return r, nil
}

// Receive reads at most size bytes at a time until the sender ends, checks each
// of them, and confirms their number.
func Receive(ctx context.Context, conn Conn, size int) (r Result, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	buf := make([]byte, size)
	want := pattern(period + size)
	var start time.Time
	at := 0
	for {
		n, err := conn.Read(buf)
		if n > 0 {
			if r.Bytes == 0 {
				start = time.Now()
			}
			if !bytes.Equal(buf[:n], want[at:at+n]) {
				return r, fmt.Errorf("the bytes from %d to %d are not those that were sent", r.Bytes, r.Bytes+int64(n))
			}
			at = (at + n) % period
			r.Bytes += int64(n)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, errors.Join(fmt.Errorf("receive: %w", err), ctx.Err())
		}
	}
	if r.Bytes > 0 {
		r.Took = time.Since(start)
	}
	if _, err := conn.Write(binary.BigEndian.AppendUint64(nil, uint64(r.Bytes))); err != nil {
		return r, fmt.Errorf("confirm: %w", err)
	}
	_ = conn.CloseWrite() // the sender may have the number already, and be gone
	return r, nil
}
