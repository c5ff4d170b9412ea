package netstack

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/examples/sendrecv/transfer"
)

func TestStream(t *testing.T) {
	for _, o := range []Options{{MTU: 1500, Write: 4096}, {MTU: MinMTU, NoDelay: true, Write: 1000}, {MTU: 1500, NoDelay: true, Write: 16}, {MTU: MaxMTU, Write: 128}} {
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
		sent, err := transfer.Send(t.Context(), conn, o.Write, 150*time.Millisecond)
		if err := errors.Join(err, conn.Close(), <-received); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if sent.Bytes != got.Bytes || sent.Bytes < int64(o.Write) {
			t.Errorf("%+v: sent %d bytes, received %d", o, sent.Bytes, got.Bytes)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left behind: %v", err)
		}
	}
}

func TestInFlight(t *testing.T) {
	for _, tc := range []struct {
		o            Options
		memory, want int
	}{
		{Options{MTU: 1500}, 4 << 20, 1549324},
		{Options{MTU: 1500, NoDelay: true, Write: 128}, 4 << 20, 419430},
		{Options{MTU: 1500, NoDelay: true, Write: 1449}, 4 << 20, 1228428}, // two segments of 724
		{Options{MTU: MaxMTU}, 4 << 20, 2080881},
		{Options{MTU: MaxMTU, NoDelay: true, Write: 1}, 400_000, 389},
		{Options{MTU: MaxMTU}, 1<<31 - 1, 1065411558},
	} {
		if got := tc.o.inFlight(tc.memory); got != tc.want {
			t.Errorf("%+v in %d bytes: %d, want %d", tc.o, tc.memory, got, tc.want)
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

// A process that is killed must not leave the other one waiting.
func TestKilled(t *testing.T) {
	o := Options{MTU: 1500}
	for name, tc := range map[string]struct {
		kill func(t *testing.T, path string)
		want string
	}{
		"before it connects": {func(t *testing.T, path string) {
			link, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
			if err != nil {
				t.Fatal(err)
			}
			link.Close()
		}, errGone.Error()},
		"amid the stream": {func(t *testing.T, path string) {
			conn, err := Dial(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write([]byte{0, 1, 2}); err != nil { // the stream's beginning
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
			_ = unix.Shutdown(conn.host.fd, unix.SHUT_RDWR)
			conn.Close()
		}, "receive"},
	} {
		path := filepath.Join(t.TempDir(), "link")
		ready, received := make(chan struct{}), make(chan error, 1)
		go func() {
			conn, err := Listen(t.Context(), path, o, func() { close(ready) })
			if err == nil {
				_, err = transfer.Receive(t.Context(), conn, 4096)
				conn.Close()
			}
			received <- err
		}()
		<-ready
		tc.kill(t, path)
		select {
		case err := <-received:
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("killed %s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("killed %s: the other one still waits", name)
		}
	}
	// A listener that never answers.
	path := filepath.Join(t.TempDir(), "silent")
	ln, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, path, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent listener: %v", err)
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
