// Package client loads a server that answers lines in upper case, and checks
// every answer.
package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Config says what load to make: all connections are opened, stay idle, and
// then send strings with pauses between.
type Config struct {
	Addr  string
	Conns int
	Idle  time.Duration // with all connections open, before the first string
	Busy  time.Duration // how long strings are sent
	Pause time.Duration // mean between an answer and the next string; 0: none
	Max   int           // bytes of the longest string
	Seed  uint64        // of lengths, contents and pauses
}

// MaxString is the longest string that the server takes, in bytes.
const MaxString = 64 << 10

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	switch {
	case c.Conns < 1:
		return fmt.Errorf("%d connections: want at least 1", c.Conns)
	case c.Max < 1 || c.Max > MaxString:
		return fmt.Errorf("strings of up to %d bytes: want 1 to %d", c.Max, MaxString)
	case c.Idle < 0 || c.Busy < 0 || c.Pause < 0:
		return fmt.Errorf("durations cannot be negative")
	}
	return nil
}

// A Result is what all connections did together.
type Result struct {
	Strings int64 // sent, and answered
	Bytes   int64 // of the strings
	Wrong   int64 // answers that were not the string in upper case
	Failed  int64 // connections that ended early
	First   error // the first reason of a failure or wrong answer
	Busy    time.Duration
	times   []time.Duration
}

// Percentile returns the answer time that p percent of the strings stayed
// within; false when there was none.
func (r *Result) Percentile(p float64) (time.Duration, bool) {
	if len(r.times) == 0 {
		return 0, false
	}
	slices.Sort(r.times)
	return r.times[min(int(p/100*float64(len(r.times))), len(r.times)-1)], true
}

// Run makes the load. Its error is that of opening the connections, or that
// ctx ended; what went wrong later is in the result.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	conns, err := dial(ctx, cfg)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, cfg.Idle); err != nil {
		return nil, err
	}
	var (
		res   Result
		mu    sync.Mutex
		wg    sync.WaitGroup
		start = time.Now()
	)
	texts := corpora(cfg)
	busy, cancel := context.WithDeadline(ctx, start.Add(cfg.Busy))
	defer cancel()
	for i, c := range conns {
		wg.Go(func() {
			one := talk(busy, c, cfg, &texts, rand.New(rand.NewPCG(cfg.Seed, uint64(i))))
			mu.Lock()
			defer mu.Unlock()
			res.add(one)
		})
	}
	wg.Wait()
	res.Busy = time.Since(start)
	return &res, ctx.Err()
}

func (r *Result) add(one Result) {
	r.Strings += one.Strings
	r.Bytes += one.Bytes
	r.Wrong += one.Wrong
	r.Failed += one.Failed
	if r.First == nil {
		r.First = one.First
	}
	r.times = append(r.times, one.times...)
}

func dial(ctx context.Context, cfg Config) ([]net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	conns := make([]net.Conn, 0, cfg.Conns)
	for i := range cfg.Conns {
		c, err := dialer.DialContext(ctx, "tcp", cfg.Addr)
		if err != nil {
			return conns, fmt.Errorf("connection %d of %d: %w", i+1, cfg.Conns, err)
		}
		conns = append(conns, c)
	}
	return conns, nil
}

// talk sends strings over one connection until ctx ends. The string on the
// way then is still answered and checked.
func talk(ctx context.Context, conn net.Conn, cfg Config, texts *[8]corpus, random *rand.Rand) (res Result) {
	fail := func(err error) Result {
		res.Failed, res.First = 1, err
		return res
	}
	answers := bufio.NewReaderSize(conn, 4096)
	var line, answer []byte
	if sleep(ctx, pause(cfg.Pause, random)) != nil { // not all at once
		return res
	}
	for ctx.Err() == nil {
		text, want := texts[random.IntN(len(texts))].cut(random, cfg.Max)
		line = append(append(line[:0], text...), '\n')
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		start := time.Now()
		if _, err := conn.Write(line); err != nil {
			return fail(err)
		}
		answer = slices.Grow(answer[:0], len(line))[:len(line)]
		if n, err := io.ReadFull(answers, answer); err != nil {
			return fail(fmt.Errorf("after %d of %d bytes of an answer: %w", n, len(want), err))
		}
		res.times = append(res.times, time.Since(start))
		res.Strings++
		res.Bytes += int64(len(text))
		if string(answer[:len(want)]) != want || answer[len(want)] != '\n' {
			res.Wrong, res.First = 1, fmt.Errorf("the answer to a string of %d bytes is not the string in upper case", len(text))
			return res // where the next answer begins is unknown
		}
		if sleep(ctx, pause(cfg.Pause, random)) != nil {
			break
		}
	}
	if extra := answers.Buffered(); extra > 0 {
		res.Wrong, res.First = 1, fmt.Errorf("%d bytes more than the answers", extra)
	}
	return res
}

// A corpus is text and its upper case, of which every part has the same place
// in both. Cutting strings from it costs the client, which shares its CPUs with
// the server, little.
type corpus struct{ text, upper string }

// newCorpus makes n bytes of letters, digits and blanks, with letters beyond
// ASCII when the server has to decode them.
func newCorpus(random *rand.Rand, n int, beyond bool) corpus {
	const ascii = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789"
	const letters = "äöüéñøçž" // two bytes each, in both cases
	var b strings.Builder
	for b.Len() < n {
		if beyond && random.IntN(8) == 0 {
			i := 2 * random.IntN(len(letters)/2)
			b.WriteString(letters[i : i+2])
		} else {
			b.WriteByte(ascii[random.IntN(len(ascii))])
		}
	}
	return corpus{b.String(), strings.ToUpper(b.String())}
}

// cut returns a random part of 1 to longest bytes.
func (c corpus) cut(random *rand.Rand, longest int) (text, upper string) {
	for {
		n := 1 + random.IntN(longest)
		start := random.IntN(len(c.text) - n - 1)
		for !utf8.RuneStart(c.text[start]) {
			start++
		}
		end := start + n
		for !utf8.RuneStart(c.text[end]) {
			end--
		}
		if end > start { // not half a letter
			return c.text[start:end], c.upper[start:end]
		}
	}
}

// corpora are what strings are cut from: one string in eight has letters
// beyond ASCII.
func corpora(cfg Config) [8]corpus {
	random := rand.New(rand.NewPCG(cfg.Seed, 0))
	n := 4*cfg.Max + 1024
	plain := newCorpus(random, n, false)
	all := [8]corpus{newCorpus(random, n, true)}
	for i := 1; i < len(all); i++ {
		all[i] = plain
	}
	return all
}

// pause returns a random time with the given mean, at most twice of it.
func pause(mean time.Duration, random *rand.Rand) time.Duration {
	if mean <= 0 {
		return 0
	}
	return time.Duration(random.Int64N(2 * int64(mean)))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
