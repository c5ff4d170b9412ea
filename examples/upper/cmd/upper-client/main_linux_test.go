package main

import (
	"net"
	"strings"
	"testing"

	"wordsize/examples/internal/cli"
	"wordsize/examples/upper/server"
)

func TestLoad(t *testing.T) {
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(t.Context(), ln, server.Config{Strategy: server.Loop}) }()
	addr := ln.Addr().String()
	for _, tc := range []struct {
		args, want string
		code       int
	}{
		{"--addr " + addr + " --conns 3 --idle 0 --busy 200ms --pause 1ms", " 0 wrong", cli.OK},
		{"--addr " + addr + " --conns 1 --idle 0 --busy 1ns", "no string was answered", cli.Failure},
		{"--conns 3", "--addr is missing", cli.Usage},
		{"--addr " + addr + " --conns 0", "0 connections", cli.Usage},
		{"--addr " + addr + " --max 100000", "want 1 to 65536", cli.Usage},
		{"--addr 127.0.0.1:1 --conns 1", "connection 1 of 1", cli.Failure},
	} {
		var out strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), nil, &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, out.String())
		}
	}
}
