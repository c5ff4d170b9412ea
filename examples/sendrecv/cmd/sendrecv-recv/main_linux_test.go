package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wordsize/examples/internal/cli"
	"wordsize/examples/sendrecv/netstack"
	"wordsize/examples/sendrecv/transfer"
)

func TestReceives(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "link")
	for args, dial := range map[string]func(string) (transfer.Conn, error){
		"--size 128": func(addr string) (transfer.Conn, error) {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				return nil, err
			}
			return c.(*net.TCPConn), nil
		},
		"--stack user --listen " + socket: func(path string) (transfer.Conn, error) {
			return netstack.Dial(t.Context(), path, netstack.Options{MTU: 1500})
		},
	} {
		out, in := io.Pipe()
		lines := bufio.NewReader(out)
		code := make(chan int, 1)
		go func() { code <- run(t.Context(), strings.Fields(args), nil, in, t.Output()) }()
		first, err := lines.ReadString('\n')
		addr, ok := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
		if err != nil || !ok {
			t.Fatalf("first line %q, %v", first, err)
		}
		conn, err := dial(addr)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := transfer.Send(t.Context(), conn, 500, 100*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if last, err := lines.ReadString('\n'); err != nil || !strings.Contains(last, "all right") || sent.Bytes == 0 {
			t.Errorf("last line %q, %v", last, err)
		}
		conn.Close()
		if got := <-code; got != cli.OK {
			t.Errorf("%s: exit status %d", args, got)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--stack other":        `--stack "other"`,
		"--size 0":             "--size 0",
		"--size 99999999":      "want 1 to 1048576",
		"--stack user --mtu 1": "an MTU of 1",
		"--listen nowhere":     "--listen",
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(args), nil, io.Discard, &stderr); code != cli.Usage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %q", args, code, stderr.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if code := run(ctx, nil, nil, io.Discard, io.Discard); code != cli.Interrupted {
		t.Errorf("ended while it waits: exit status %d", code)
	}
}
