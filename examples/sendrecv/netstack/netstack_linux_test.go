package netstack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wordsize/examples/sendrecv/transfer"
)

func TestStream(t *testing.T) {
	for _, o := range []Options{{MTU: 1500}, {MTU: MinMTU, NoDelay: true}, {MTU: MaxMTU}} {
		path := filepath.Join(t.TempDir(), "link")
		ready, received := make(chan struct{}), make(chan error, 1)
		var got transfer.Result
		go func() {
			conn, err := Listen(t.Context(), path, o, func() { close(ready) })
			if err == nil {
				got, err = transfer.Receive(t.Context(), conn, 4096)
				err = errors.Join(err, conn.Close())
			}
			received <- err
		}()
		<-ready
		conn, err := Dial(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := transfer.Send(t.Context(), conn, 1000, 150*time.Millisecond)
		if err := errors.Join(err, conn.Close(), <-received); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if sent.Bytes != got.Bytes || sent.Bytes < 1000 {
			t.Errorf("%+v: sent %d bytes, received %d", o, sent.Bytes, got.Bytes)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left behind: %v", err)
		}
	}
}

func TestErrors(t *testing.T) {
	o := Options{MTU: 1500}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Dial(t.Context(), missing, o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nobody listens: %v", err)
	}
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), taken, o, func() {}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("the path is taken: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Listen(ctx, missing, o, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("ended while it waits: %v", err)
	}
	for _, mtu := range []uint32{0, MinMTU - 1, MaxMTU + 1} {
		if err := (Options{MTU: mtu}).Validate(); err == nil {
			t.Errorf("an MTU of %d was accepted", mtu)
		}
	}
}

// A process that ends must be noticed, and leave no goroutine that turns.
func TestEndOfTheLink(t *testing.T) {
	before := runtime.NumGoroutine()
	path := filepath.Join(t.TempDir(), "link")
	ready, got := make(chan struct{}), make(chan *Conn, 1)
	go func() {
		conn, err := Listen(t.Context(), path, Options{MTU: 1500}, func() { close(ready) })
		if err != nil {
			t.Error(err)
		}
		got <- conn
	}()
	<-ready
	sender, err := Dial(t.Context(), path, Options{MTU: 1500})
	if err != nil {
		t.Fatal(err)
	}
	receiver := <-got
	if err := sender.host.close(); err != nil { // as if the process had ended
		t.Error(err)
	}
	start := time.Now()
	if err := receiver.Close(); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("closed after %v: %v", time.Since(start), err)
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 64<<10)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
}
