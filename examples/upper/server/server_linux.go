// Package server answers each line with the same line in upper case, by one of
// three strategies whose costs are to be compared.
package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
)

// A Strategy is a way to serve many connections at once.
type Strategy string

// The strategies.
const (
	Thread Strategy = "thread" // a goroutine with blocking calls for each connection
	Loop   Strategy = "loop"   // one thread, epoll, nothing blocks
	Pool   Strategy = "pool"   // the loop reads and writes, workers compute
)

// Strategies lists them all.
var Strategies = []Strategy{Thread, Loop, Pool}

// MaxLine is the longest line in bytes, without its end; a connection that
// sends a longer one is closed.
const MaxLine = 64 << 10

// Config says how to serve.
type Config struct {
	Strategy Strategy
	Workers  int       // of Pool
	Log      io.Writer // what went wrong with single connections
}

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	switch c.Strategy {
	case Thread, Loop:
	case Pool:
		if c.Workers < 1 || c.Workers > 1024 {
			return fmt.Errorf("%d workers: a pool has 1 to 1024", c.Workers)
		}
	default:
		names := make([]string, len(Strategies))
		for i, s := range Strategies {
			names[i] = string(s)
		}
		return fmt.Errorf("strategy %q: want one of %s", c.Strategy, strings.Join(names, ", "))
	}
	return nil
}

// Serve answers until ctx ends, which is no error. It closes ln.
func Serve(ctx context.Context, ln *net.TCPListener, cfg Config) error {
	defer ln.Close()
	if err := cfg.Validate(); err != nil {
		return err
	}
	if cfg.Log == nil {
		cfg.Log = io.Discard
	}
	if cfg.Strategy == Thread {
		return serveThreads(ctx, ln, cfg.Log)
	}
	return serveLoop(ctx, ln, cfg)
}

// appendAnswer appends the answer to a line, with its end, to dst.
func appendAnswer(dst, line []byte) []byte {
	start := len(dst)
	for _, b := range line {
		switch {
		case b >= 0x80: // letters beyond ASCII, which may change their length
			return append(append(dst[:start], bytes.ToUpper(line)...), '\n')
		case 'a' <= b && b <= 'z':
			b -= 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return append(dst, '\n')
}

// appendAnswers appends the answers to all complete lines of in, and returns
// what is left of in. At the end of the input the rest is a line too. ok is
// false when a line is too long.
func appendAnswers(dst, in []byte, end bool) (out, rest []byte, ok bool) {
	for {
		n := bytes.IndexByte(in, '\n')
		if n < 0 {
			break
		}
		if n > MaxLine {
			return dst, nil, false
		}
		dst = appendAnswer(dst, in[:n])
		in = in[n+1:]
	}
	if len(in) > MaxLine {
		return dst, nil, false
	}
	if end && len(in) > 0 {
		return appendAnswer(dst, in), nil, true
	}
	return dst, in, true
}
