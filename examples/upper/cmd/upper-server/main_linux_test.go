package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"wordsize/examples/internal/cli"
)

func TestServesUntilEnded(t *testing.T) {
	for _, strategy := range []string{"thread", "loop", "pool"} {
		ctx, cancel := context.WithCancel(t.Context())
		out, in := io.Pipe()
		code := make(chan int)
		go func() { code <- run(ctx, []string{"--strategy", strategy}, nil, in, t.Output()) }()
		line, err := bufio.NewReader(out).ReadString('\n')
		addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if err != nil || !ok {
			t.Fatalf("first line %q, %v", line, err)
		}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintln(c, strategy)
		if got, err := bufio.NewReader(c).ReadString('\n'); got != strings.ToUpper(strategy)+"\n" {
			t.Errorf("%s answered %q, %v", strategy, got, err)
		}
		c.Close()
		cancel()
		if got := <-code; got != cli.OK {
			t.Errorf("%s: exit status %d", strategy, got)
		}
	}
}

func TestUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tc := range []struct {
		args string
		code int
		want string
	}{
		{"--strategy fork", cli.Usage, `strategy "fork": want one of thread, loop, pool`},
		{"--strategy pool --workers 0", cli.Usage, "a pool has 1 to 1024"},
		{"--listen nowhere", cli.Usage, "--listen"},
		{"--listen " + taken.Addr().String(), cli.Failure, "address already in use"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), nil, io.Discard, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, stderr.String())
		}
	}
}
