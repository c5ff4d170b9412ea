package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wordsize/examples/comet/hub"
	"wordsize/examples/comet/worker"
	"wordsize/examples/internal/cli"
)

// serve runs a hub and one worker in this process.
func serve(t *testing.T) (polls, says string) {
	t.Helper()
	var lns [2]*net.TCPListener
	for i := range lns {
		ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		lns[i] = ln
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := hub.MakeFIFO(fifo); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opened, done := make(chan struct{}), make(chan error, 2)
	go func() {
		done <- hub.Serve(ctx, lns[0], hub.Config{FIFOs: []string{fifo}, History: 10, Timeout: time.Minute, Log: t.Output()}, func() { close(opened) })
	}()
	<-opened
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- worker.Serve(ctx, lns[1], f) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		f.Close()
	})
	return lns[0].Addr().String(), lns[1].Addr().String()
}

func TestChat(t *testing.T) {
	polls, says := serve(t)
	addresses := "--hub " + polls + " --say " + says + " "
	for _, tc := range []struct {
		args, stdin, want string
		code              int
	}{
		{addresses + "--conns 30 --hold 0 --messages 2", "", "reached 30 of 30", cli.OK},
		{addresses + "--conns 20 --control", "say one\nsay two\n", "reached 20 of 20", cli.OK},
		{addresses + "--conns 20 --control", "shout\n", `line "shout"`, cli.Usage},
		{"--hub " + polls, "", "--hub and --say", cli.Usage},
		{addresses + "--conns 0", "", "0 connections", cli.Usage},
		{addresses + "--messages -1", "", "cannot be negative", cli.Usage},
		{"--hub 127.0.0.1:1 --say 127.0.0.1:1", "", "refused", cli.Failure},
	} {
		var out strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), strings.NewReader(tc.stdin), &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, out.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if code := run(ctx, strings.Fields(addresses+"--conns 3 --hold 1h"), nil, io.Discard, io.Discard); code != cli.Interrupted {
		t.Errorf("ended while it holds: exit status %d", code)
	}
}
