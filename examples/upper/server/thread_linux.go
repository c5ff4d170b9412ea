package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// serveThreads runs a goroutine for each connection.
func serveThreads(ctx context.Context, ln *net.TCPListener, log io.Writer) error {
	var (
		mu    sync.Mutex
		open  = map[net.Conn]bool{}
		wg    sync.WaitGroup
		ended bool
	)
	closeAll := func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		ln.Close()
		for c := range open {
			c.Close()
		}
	}
	defer wg.Wait()
	defer closeAll()
	defer context.AfterFunc(ctx, closeAll)()
	failing := false
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("accept: %w", err)
			}
			// Out of descriptors, most likely: they come back as others leave.
			if !failing {
				fmt.Fprintf(log, "accept: %v\n", err)
			}
			failing = true
			time.Sleep(20 * time.Millisecond)
			continue
		}
		failing = false
		mu.Lock()
		if ended {
			conn.Close()
		}
		open[conn] = true
		mu.Unlock()
		wg.Go(func() {
			defer func() {
				conn.Close()
				mu.Lock()
				delete(open, conn)
				mu.Unlock()
			}()
			answerLines(conn)
		})
	}
}

// answerLines answers until the other side ends or fails; either is its
// affair and not the server's.
func answerLines(conn io.ReadWriter) {
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 0, 4096), MaxLine+1)
	lines.Split(splitLines)
	var out []byte
	for lines.Scan() {
		out = appendAnswer(out[:0], lines.Bytes())
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// splitLines is bufio.ScanLines that keeps a carriage return, as the loops do.
func splitLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
