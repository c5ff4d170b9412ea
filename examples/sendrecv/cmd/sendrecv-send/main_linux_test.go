package main

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"wordsize/examples/internal/cli"
	"wordsize/examples/sendrecv/netstack"
	"wordsize/examples/sendrecv/transfer"
)

func TestSends(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	socket := filepath.Join(t.TempDir(), "link")
	ready, done := make(chan struct{}), make(chan error, 2)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			_, err = transfer.Receive(t.Context(), c.(*net.TCPConn), 4096)
		}
		done <- err
	}()
	go func() {
		conn, err := netstack.Listen(t.Context(), socket, netstack.Options{MTU: 1500}, func() { close(ready) })
		if err == nil {
			_, err = transfer.Receive(t.Context(), conn, 4096)
			conn.Close()
		}
		done <- err
	}()
	<-ready
	for _, args := range []string{"--addr " + ln.Addr().String(), "--stack user --addr " + socket} {
		var out strings.Builder
		args := args + " --size 128 --for 100ms"
		if code := run(t.Context(), strings.Fields(args), nil, &out, &out); code != cli.OK || !strings.Contains(out.String(), "all confirmed") {
			t.Errorf("%s: exit status %d, %q", args, code, out.String())
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "--addr is missing",
		"--addr x --size 0":             "--size 0",
		"--addr x --for 0":              "--for 0s",
		"--addr x --stack other":        `--stack "other"`,
		"--addr x --stack user --mtu 1": "an MTU of 1",
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(args), nil, io.Discard, &stderr); code != cli.Usage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %q", args, code, stderr.String())
		}
	}
	for _, args := range []string{"--addr 127.0.0.1:1", "--stack user --addr /does/not/exist"} {
		if code := run(t.Context(), strings.Fields(args), nil, io.Discard, io.Discard); code != cli.Failure {
			t.Errorf("%s: exit status %d", args, code)
		}
	}
}
