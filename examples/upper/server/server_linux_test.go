package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/examples/upper/client"
	"wordsize/examples/upper/server"
)

// start serves on loopback until the test ends, or stop is called, which
// returns Serve's error.
func start(t *testing.T, s server.Strategy) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	limitBuffers(t, ln)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln, server.Config{Strategy: s, Workers: 3, Log: t.Output()}) }()
	stop = func() error {
		cancel()
		select {
		case err := <-done:
			done <- err
			return err
		case <-time.After(10 * time.Second):
			return fmt.Errorf("Serve does not end")
		}
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String(), stop
}

// limitBuffers keeps the kernel from growing the buffers of accepted sockets,
// on some hosts to 32 MiB each.
func limitBuffers(t *testing.T, ln *net.TCPListener) {
	t.Helper()
	raw, err := ln.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		for _, option := range []int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
			if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, 256<<10); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func each(t *testing.T, f func(t *testing.T, s server.Strategy)) {
	for _, s := range server.Strategies {
		t.Run(string(s), func(t *testing.T) { f(t, s) })
	}
}

func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

func TestAnswers(t *testing.T) {
	long := strings.Repeat("long line ", server.MaxLine/10) + strings.Repeat("x", server.MaxLine%10)
	cases := map[string]struct{ in, want string }{
		"one line":           {"hello, World 1\n", "HELLO, WORLD 1\n"},
		"several at once":    {"a\n\nb\nc\n", "A\n\nB\nC\n"},
		"last without end":   {"a\nrest", "A\nREST\n"},
		"beyond ASCII":       {"grün ñandú\n", "GRÜN ÑANDÚ\n"},
		"grows":              {"ɐ\n", "Ɐ\n"}, // two bytes become three
		"carriage return":    {"a\r\n", "A\r\n"},
		"not UTF-8":          {"a\xffb\n", "A\uFFFDB\n"},
		"longest":            {long + "\n", strings.ToUpper(long) + "\n"},
		"longest, unended":   {long, strings.ToUpper(long) + "\n"},
		"nothing":            {"", ""},
		"zero byte in a row": {"a\x00b\n", "A\x00B\n"},
	}
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		for name, tc := range cases {
			t.Run(name, func(t *testing.T) {
				c := dial(t, addr)
				if _, err := io.WriteString(c, tc.in); err != nil {
					t.Fatal(err)
				}
				if err := c.CloseWrite(); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(c)
				if err != nil || string(got) != tc.want {
					t.Errorf("%q -> %.60q (%d bytes), error %v; want %.60q (%d bytes)", tc.in[:min(20, len(tc.in))], got, len(got), err, tc.want, len(tc.want))
				}
			})
		}
	})
}

// A line may come in any pieces.
func TestByteByByte(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		c := dial(t, addr)
		_ = c.SetNoDelay(true)
		answers := bufio.NewReader(c)
		for round := range 3 {
			for _, b := range []byte("split up\n") {
				if _, err := c.Write([]byte{b}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
			if got, err := answers.ReadString('\n'); got != "SPLIT UP\n" {
				t.Fatalf("round %d: %q, %v", round, got, err)
			}
		}
	})
}

func TestTooLongLineEndsTheConnection(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		for _, end := range []string{"", "\n"} {
			c := dial(t, addr)
			_, _ = io.WriteString(c, strings.Repeat("x", server.MaxLine+1)+end) // the server may reset it midway
			if got, _ := io.ReadAll(c); len(got) > 0 {
				t.Errorf("a line that is too long was answered with %d bytes", len(got))
			}
		}
		c := dial(t, addr) // and the server lives on
		fmt.Fprintln(c, "still here")
		if got, err := bufio.NewReader(c).ReadString('\n'); got != "STILL HERE\n" {
			t.Errorf("the next connection got %q, %v", got, err)
		}
	})
}

// A client that sends without reading must not make the server hold all
// answers, and still gets every one of them, in order.
func TestSlowReader(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		c := dial(t, addr)
		_ = c.SetReadBuffer(64 << 10)
		_ = c.SetWriteBuffer(64 << 10)
		const lines, size = 2000, 5000 // far more than all socket buffers
		sent := make(chan error, 1)
		go func() {
			for i := range lines {
				if _, err := fmt.Fprintf(c, "%06d %s\n", i, strings.Repeat("y", size)); err != nil {
					sent <- err
					return
				}
			}
			sent <- c.CloseWrite()
		}()
		select {
		case err := <-sent:
			t.Fatalf("10 MB went out while nothing was read (%v): who holds the answers?", err)
		case <-time.After(300 * time.Millisecond):
		}
		got := bufio.NewReader(c)
		tail := strings.Repeat("Y", size)
		for i := range lines {
			line, err := got.ReadString('\n')
			if want := fmt.Sprintf("%06d %s\n", i, tail); line != want {
				t.Fatalf("answer %d: %.20q..., %v", i, line, err)
			}
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(got); len(rest) > 0 || err != nil {
			t.Errorf("after the last answer: %d bytes, %v", len(rest), err)
		}
	})
}

// Connections that break off, at any point, harm nobody else.
func TestBrokenConnections(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		steady := dial(t, addr)
		answers := bufio.NewReader(steady)
		for i := range 60 {
			c := dial(t, addr)
			fmt.Fprintf(c, "%s\nrest without an end", bytes.Repeat([]byte("z"), 30000*(i%3)+1))
			if i%2 == 0 {
				_ = c.SetLinger(0) // a reset
			}
			c.Close()
			fmt.Fprintf(steady, "number %d\n", i)
			if got, err := answers.ReadString('\n'); got != fmt.Sprintf("NUMBER %d\n", i) {
				t.Fatalf("round %d: %q, %v", i, got, err)
			}
		}
	})
}

// The client of this example, against each strategy.
func TestManyConnections(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		addr, _ := start(t, s)
		res, err := client.Run(t.Context(), client.Config{Addr: addr, Conns: 100, Idle: 50 * time.Millisecond,
			Busy: 400 * time.Millisecond, Pause: 10 * time.Millisecond, Max: 9999, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		if res.Wrong != 0 || res.Failed != 0 || res.Strings < 100 || res.Bytes < res.Strings*1000 {
			t.Errorf("%d strings of %d bytes, %d wrong, %d failed: %v", res.Strings, res.Bytes, res.Wrong, res.Failed, res.First)
		}
	})
}

// Ended, Serve leaves no connection, descriptor or goroutine's socket behind.
func TestEnd(t *testing.T) {
	each(t, func(t *testing.T, s server.Strategy) {
		before := descriptors(t)
		addr, stop := start(t, s)
		var conns []*net.TCPConn
		for range 20 {
			conns = append(conns, dial(t, addr))
		}
		fmt.Fprintln(conns[19], "served")
		if got, err := bufio.NewReader(conns[19]).ReadString('\n'); got != "SERVED\n" {
			t.Fatalf("%q, %v", got, err)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		for i, c := range conns {
			if _, err := c.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
				t.Errorf("connection %d is still open: %v", i, err)
			}
			c.Close()
		}
		if after := descriptors(t); after > before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			t.Error("it still listens")
		}
	})
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries { // the runtime's own epoll and eventfd may come late
		if link, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(link, "socket:") {
			n++
		}
	}
	return n
}

func TestConfig(t *testing.T) {
	for _, cfg := range []server.Config{{}, {Strategy: "threads"}, {Strategy: server.Pool}, {Strategy: server.Pool, Workers: 5000}} {
		ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Serve(t.Context(), ln, cfg); err == nil {
			t.Errorf("%+v was accepted", cfg)
		}
	}
}
