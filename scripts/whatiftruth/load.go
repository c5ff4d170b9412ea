package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// dial connects with a deadline for all that follows.
func dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return c, c.SetDeadline(time.Now().Add(5 * time.Minute))
}

// idleHTTP opens n connections, sends one request on each and leaves it open.
func idleHTTP(n int) load {
	return func(ctx context.Context, addr string, keep *connections) error {
		for i := range n {
			c, err := dial(ctx, addr)
			if err != nil {
				return fmt.Errorf("connection %d: %w", i, err)
			}
			keep.add(c)
			if _, err := fmt.Fprintf(c, "GET /a/page-%d?q=%d HTTP/1.1\r\nHost: example.org\r\nUser-Agent: truth/1 (idle client %d)\r\nAccept: */*\r\nCookie: id=%016x\r\n\r\n", i, i%7, i, i); err != nil {
				return err
			}
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return fmt.Errorf("connection %d: %w", i, err)
			}
			if r.StatusCode != http.StatusOK {
				return fmt.Errorf("connection %d: status %d", i, r.StatusCode)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return fmt.Errorf("connection %d: %w", i, err)
			}
			r.Body.Close()
		}
		return nil
	}
}

// fixedRandom is the same sequence every time, for either word size.
func fixedRandom() *rand.Rand { return rand.New(rand.NewPCG(21, 22)) }

// text returns n letters.
func text(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// redisCommand writes one command in RESP, Redis' protocol.
func redisCommand(w io.Writer, args ...string) {
	fmt.Fprintf(w, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(w, "$%d\r\n%s\r\n", len(a), a)
	}
}

// redisKey returns the command that fills key i: half strings, a quarter
// hashes, the rest lists, sorted sets and integers.
func redisKey(r *rand.Rand, i int) []string {
	id := fmt.Sprint(i)
	switch i % 8 {
	case 0, 1, 2, 3:
		return []string{"SET", "page:" + id, text(r, 16+r.IntN(180))}
	case 4, 5:
		return []string{"HSET", "user:" + id, "name", text(r, 12), "mail", text(r, 8) + "@example.org", "visits", fmt.Sprint(r.IntN(1000)), "note", text(r, r.IntN(120))}
	case 6:
		args := []string{"RPUSH", "list:" + id}
		for range 1 + r.IntN(12) {
			args = append(args, text(r, 10))
		}
		return args
	}
	if i%16 == 7 {
		return []string{"SET", "count:" + id, fmt.Sprint(r.IntN(1 << 30))}
	}
	args := []string{"ZADD", "rank:" + id}
	for k := range 2 + r.IntN(10) {
		args = append(args, fmt.Sprint(k*7), text(r, 9))
	}
	return args
}

func redisLoad(ctx context.Context, addr string, _ *connections) error {
	c, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	const keys, batch = 100_000, 500
	r := fixedRandom()
	w, in := bufio.NewWriter(c), bufio.NewReader(c)
	replies := func(n int) error {
		if err := w.Flush(); err != nil {
			return err
		}
		for range n {
			line, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			if line[0] != '+' && line[0] != ':' {
				return fmt.Errorf("redis: %s", strings.TrimSpace(line))
			}
		}
		return nil
	}
	for i := 0; i < keys; i += batch {
		for k := range batch {
			redisCommand(w, redisKey(r, i+k)...)
		}
		if err := replies(batch); err != nil {
			return err
		}
	}
	// Hands back what jemalloc would give up in the next ten seconds.
	redisCommand(w, "MEMORY", "PURGE")
	return replies(1)
}

func memcachedLoad(ctx context.Context, addr string, _ *connections) error {
	c, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	r := fixedRandom()
	w := bufio.NewWriter(c)
	for i := range 150_000 {
		n := 20 + r.IntN(100)
		if i%10 == 0 {
			n = 200 + r.IntN(1300)
		}
		fmt.Fprintf(w, "set session:%d:%s %d 0 %d noreply\r\n%s\r\n", i, text(r, 6), i%4, n, text(r, n))
	}
	fmt.Fprint(w, "version\r\n")
	if err := w.Flush(); err != nil {
		return err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "VERSION") {
		err = fmt.Errorf("memcached: %s", strings.TrimSpace(line))
	}
	return err
}
