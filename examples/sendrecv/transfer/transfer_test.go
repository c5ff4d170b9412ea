package transfer

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// pair returns the two ends of a connection over loopback.
func pair(t *testing.T) (a, b *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	d, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); d.Close() })
	return c.(*net.TCPConn), d.(*net.TCPConn)
}

func TestTransfer(t *testing.T) {
	for _, tc := range []struct{ write, read int }{{1, 1}, {128, 128}, {4096, 4096}, {250, 4096}, {251, 7}, {10000, 4096}, {MaxSize, MaxSize}} {
		a, b := pair(t)
		type end struct {
			r   Result
			err error
		}
		received := make(chan end, 1)
		go func() {
			r, err := Receive(t.Context(), b, tc.read)
			received <- end{r, err}
		}()
		sent, err := Send(t.Context(), a, tc.write, 60*time.Millisecond)
		got := <-received
		if err != nil || got.err != nil || sent.Bytes != got.r.Bytes || sent.Bytes < int64(tc.write) || sent.Bytes%int64(tc.write) != 0 {
			t.Errorf("%+v: sent %+v, %v; received %+v, %v", tc, sent, err, got.r, got.err)
		}
		if sent.Took < 60*time.Millisecond || sent.MBPerSecond() <= 0 {
			t.Errorf("%+v: %+v", tc, sent)
		}
	}
}

// What is changed, lost or repeated on the way is seen.
func TestDamageIsSeen(t *testing.T) {
	text := pattern(20000)
	for name, damaged := range map[string][]byte{
		"a bit":            append(append(append([]byte(nil), text[:9000]...), text[9000]^4), text[9001:]...),
		"a byte lost":      append(append([]byte(nil), text[:9000]...), text[9001:]...),
		"a packet lost":    append(append([]byte(nil), text[:4096]...), text[4096+1460:]...),
		"a write repeated": append(append([]byte(nil), text[:4096]...), text[:4096]...),
		"another start":    text[1:],
	} {
		a, b := pair(t)
		if _, err := a.Write(damaged); err != nil {
			t.Fatal(err)
		}
		a.Close()
		if r, err := Receive(t.Context(), b, 4096); err == nil || !strings.Contains(err.Error(), "not those that were sent") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestSendErrors(t *testing.T) {
	a, b := pair(t)
	go func() { // a receiver that miscounts
		buf := make([]byte, 64<<10)
		for {
			if _, err := b.Read(buf); err != nil {
				break
			}
		}
		_, _ = b.Write([]byte{0, 0, 0, 0, 0, 0, 0, 1})
	}()
	if _, err := Send(t.Context(), a, 4096, 20*time.Millisecond); err == nil || !strings.Contains(err.Error(), "the receiver got 1") {
		t.Errorf("a receiver that lost something: %v", err)
	}

	a, b = pair(t)
	time.AfterFunc(20*time.Millisecond, func() { b.Close() })
	if _, err := Send(t.Context(), a, 4096, 10*time.Second); err == nil {
		t.Error("a receiver that left: no error")
	}

	a, _ = pair(t) // nobody reads
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Send(ctx, a, MaxSize, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("ended while it writes: %v", err)
	}
	_, b = pair(t)
	if _, err := Receive(ctx, b, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("ended while it reads: %v", err)
	}
}

func TestNothing(t *testing.T) {
	a, b := pair(t)
	_ = a.CloseWrite()
	if r, err := Receive(t.Context(), b, 10); err != nil || r.Bytes != 0 || r.MBPerSecond() != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
