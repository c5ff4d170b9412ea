// Package client parks many connections at a comet server and checks that a
// message reaches all of them.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"wordsize/examples/comet/event"
	"wordsize/examples/comet/hub"
)

// Config says how many connections to park, and where.
type Config struct {
	Hub       string // address for polls
	Say       string // address for messages
	Conns     int
	PerSource int           // connections from one source address of 127.0.0.0/8; each has some 28,000 ports
	Timeout   time.Duration // for one step: all parked, or all reached
}

// Validate says what is wrong with a configuration, or with this process'
// limit of descriptors.
func (c Config) Validate() error {
	switch {
	case c.Conns < 1:
		return fmt.Errorf("%d connections: want at least 1", c.Conns)
	case c.PerSource < 1:
		return fmt.Errorf("%d connections from one address: want at least 1", c.PerSource)
	case int64(c.Conns) > sources*int64(c.PerSource):
		return fmt.Errorf("%d connections: want at most %d, %d addresses of %d connections each", c.Conns, sources*int64(c.PerSource), sources, c.PerSource)
	case c.Timeout <= 0:
		return fmt.Errorf("a timeout of %v: want more than 0", c.Timeout)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < uint64(c.Conns)+spare {
		return fmt.Errorf("%d connections need %d descriptors, the limit is %d (ulimit -n)", c.Conns, uint64(c.Conns)+spare, limit.Cur)
	}
	return nil
}

const (
	spare   = 32  // descriptors for all but the parked connections
	sources = 250 // addresses to connect from, 127.0.0.2 to 127.0.0.251
)

// A Crowd is connections that wait for messages.
type Crowd struct {
	cfg   Config
	conns []net.Conn
	http  *http.Client
	wg    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	lost   int
	reason error // of the first loss
	round  *round
}

// A round is one message on its way to all.
type round struct {
	text   string
	start  time.Time
	got    []bool
	count  int
	wrong  error // the first message that was not the one, or came twice
	first  time.Duration
	last   time.Duration
	all    chan struct{}
	closed bool
}

// Park opens the connections and returns when the hub says that all wait.
func Park(ctx context.Context, cfg Config) (*Crowd, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Crowd{cfg: cfg, http: &http.Client{Timeout: cfg.Timeout, Transport: &http.Transport{}}}
	after, err := c.stats(ctx)
	if err != nil {
		return nil, err
	}
	for i := range cfg.Conns {
		conn, err := c.dial(ctx, i)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("connection %d of %d: %w", i+1, cfg.Conns, err)
		}
		c.conns = append(c.conns, conn)
	}
	for i, conn := range c.conns {
		c.wg.Go(func() { c.listen(i, conn, after.Messages) })
	}
	if err := c.AllWait(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Crowd) dial(ctx context.Context, i int) (net.Conn, error) {
	dialer := net.Dialer{Timeout: c.cfg.Timeout}
	if host, _, err := net.SplitHostPort(c.cfg.Hub); err == nil {
		if ip := net.ParseIP(host).To4(); ip != nil && ip.IsLoopback() {
			dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i/c.cfg.PerSource))}
		}
	}
	return dialer.DialContext(ctx, "tcp", c.cfg.Hub)
}

// Close ends all connections.
func (c *Crowd) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.wg.Wait()
	c.http.CloseIdleConnections()
}

// stats asks the hub how it is.
func (c *Crowd) stats(ctx context.Context) (s hub.Stats, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.cfg.Hub+"/stats", nil)
	if err != nil {
		return s, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return s, fmt.Errorf("the hub answers /stats with %s", resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		return s, fmt.Errorf("the hub answers /stats with %s: %w", resp.Status, err)
	}
	return s, nil
}

// AllWait returns when the hub says that all connections wait.
func (c *Crowd) AllWait(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, fmt.Errorf("not all wait after %v", c.cfg.Timeout))
	defer cancel()
	for {
		s, err := c.stats(ctx)
		if err == nil && s.Waiting >= c.cfg.Conns {
			return nil
		}
		if lost, reason := c.losses(); lost > 0 {
			return fmt.Errorf("%d of %d connections lost, the first: %w", lost, c.cfg.Conns, reason)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %d of %d", context.Cause(ctx), s.Waiting, c.cfg.Conns)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (c *Crowd) losses() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost, c.reason
}

// listen polls over one connection until it is closed.
func (c *Crowd) listen(i int, conn net.Conn, after uint64) {
	answers := bufio.NewReaderSize(conn, 512)
	for {
		batch, err := poll(conn, answers, after)
		now := time.Now()
		c.mu.Lock()
		switch {
		case err != nil && !c.closed:
			c.lost++
			if c.reason == nil {
				c.reason = err
			}
			c.settle()
		case err == nil:
			for _, m := range batch.Messages {
				c.heard(i, m, now)
			}
			after = batch.Last
		}
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// pollFormat has the headers that browsers send.
var pollFormat = strings.ReplaceAll(`GET /poll?after=%d HTTP/1.1
Host: chat.example.org
User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
Accept: application/json
Accept-Language: en-GB,en;q=0.8
Accept-Encoding: gzip, deflate
Referer: http://chat.example.org/room/lobby/
X-Requested-With: XMLHttpRequest
Cookie: session=%s
Cache-Control: no-cache

`, "\n", "\r\n")

// poll asks once and waits for the answer.
func poll(conn net.Conn, answers *bufio.Reader, after uint64) (b event.Batch, err error) {
	if _, err := fmt.Fprintf(conn, pollFormat, after, conn.LocalAddr()); err != nil {
		return b, err
	}
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return b, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return b, err
	}
	if resp.StatusCode != http.StatusOK {
		return b, fmt.Errorf("poll: %s: %.80s", resp.Status, body)
	}
	return b, json.Unmarshal(body, &b)
}

// heard notes a message that connection i got.
func (c *Crowd) heard(i int, m event.Numbered, now time.Time) {
	r := c.round
	switch {
	case r == nil:
		return // said by somebody else
	case m.Text != r.text:
		r.fail(fmt.Errorf("connection %d got %.40q", i+1, m.Text))
	case r.got[i]:
		r.fail(fmt.Errorf("connection %d got the message twice", i+1))
	default:
		r.got[i] = true
		r.count++
		r.last = now.Sub(r.start)
		if r.count == 1 {
			r.first = r.last
		}
	}
	c.settle()
}

func (r *round) fail(err error) {
	if r.wrong == nil {
		r.wrong = err
	}
}

// settle ends a round when nothing more can come.
func (c *Crowd) settle() {
	if r := c.round; r != nil && !r.closed && r.count+c.lost >= c.cfg.Conns {
		r.closed = true
		close(r.all)
	}
}

// A Delivery is how a message reached the crowd: the times run from before it
// was posted until a connection's answer was read.
type Delivery struct {
	Reached     int
	First, Last time.Duration
}

// Say posts a message to a worker and returns when all have it. It is an
// error if one lacks it, got it twice or got something else.
func (c *Crowd) Say(ctx context.Context, text string) (Delivery, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, fmt.Errorf("not all have the message after %v", c.cfg.Timeout))
	defer cancel()
	r := &round{text: text, start: time.Now(), got: make([]bool, c.cfg.Conns), all: make(chan struct{})}
	c.mu.Lock()
	c.round = r
	c.mu.Unlock()
	if err := c.post(ctx, text); err != nil {
		return Delivery{}, err
	}
	var ended error
	select {
	case <-r.all:
		// Whoever gets it twice has the second one soon after.
		ended = c.AllWait(ctx)
	case <-ctx.Done():
		ended = context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round = nil
	d := Delivery{Reached: r.count, First: r.first, Last: r.last}
	switch {
	case r.wrong != nil:
		return d, r.wrong
	case c.lost > 0:
		return d, fmt.Errorf("%d connections lost, the first: %w", c.lost, c.reason)
	case ended != nil:
		return d, fmt.Errorf("%w: %d of %d", ended, r.count, c.cfg.Conns)
	}
	return d, nil
}

func (c *Crowd) post(ctx context.Context, text string) error {
	body := url.Values{"from": {"client"}, "text": {text}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.cfg.Say+"/say", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 200))
	if resp.StatusCode != http.StatusAccepted {
		return errors.Join(fmt.Errorf("the worker answers %s: %s", resp.Status, answer), err)
	}
	return err
}
