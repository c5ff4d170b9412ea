package hub

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wordsize/examples/comet/event"
)

// A rig is a hub and the two FIFOs that a test writes into.
type rig struct {
	t     *testing.T
	addr  string
	fifos []*os.File
	log   *logBuffer
	end   func() error
}

type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, history int, timeout time.Duration) *rig {
	t.Helper()
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, addr: ln.Addr().String(), log: &logBuffer{}}
	cfg := Config{History: history, Timeout: timeout, Log: r.log}
	for _, name := range []string{"a", "b"} {
		name = filepath.Join(t.TempDir(), name)
		if err := MakeFIFO(name); err != nil {
			t.Fatal(err)
		}
		cfg.FIFOs = append(cfg.FIFOs, name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opened, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- Serve(ctx, ln, cfg, func() { close(opened) }) }()
	<-opened
	for _, name := range cfg.FIFOs {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.fifos = append(r.fifos, f)
	}
	r.end = sync.OnceValue(func() error {
		cancel()
		for _, f := range r.fifos {
			f.Close()
		}
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			return fmt.Errorf("Serve does not end")
		}
	})
	t.Cleanup(func() {
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) say(fifo int, texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		line, err := event.Encode(event.Message{From: "test", Text: text})
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.fifos[fifo].Write(line); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A browser is one connection.
type browser struct {
	t *testing.T
	net.Conn
	answers *bufio.Reader
}

func (r *rig) connect() *browser {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &browser{r.t, c, bufio.NewReader(c)}
}

func (b *browser) send(text string) {
	b.t.Helper()
	if _, err := io.WriteString(b, text); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) poll(after int) {
	b.send(fmt.Sprintf("GET /poll?after=%d HTTP/1.1\r\nHost: x\r\n\r\n", after))
}

// answer reads a response.
func (b *browser) answer() (status int, body []byte) {
	b.t.Helper()
	resp, err := http.ReadResponse(b.answers, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, body
}

// batch reads the answer to a poll as "LAST: TEXT TEXT...".
func (b *browser) batch() string {
	b.t.Helper()
	status, body := b.answer()
	var batch event.Batch
	if err := json.Unmarshal(body, &batch); err != nil || status != http.StatusOK {
		b.t.Fatalf("status %d, %q: %v", status, body, err)
	}
	text := fmt.Sprintf("%d:", batch.Last)
	for i, m := range batch.Messages {
		if i > 0 && m.N != batch.Messages[i-1].N+1 {
			b.t.Errorf("message %d follows %d", m.N, batch.Messages[i-1].N)
		}
		text += " " + m.Text
	}
	return text
}

func (b *browser) want(want string) {
	b.t.Helper()
	if got := b.batch(); got != want {
		b.t.Errorf("got %q, want %q", got, want)
	}
}

func (r *rig) stats() (s Stats) {
	r.t.Helper()
	b := r.connect()
	defer b.Close()
	b.send("GET /stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	status, body := b.answer()
	if err := json.Unmarshal(body, &s); err != nil || status != http.StatusOK {
		r.t.Fatalf("status %d, %q: %v", status, body, err)
	}
	if _, err := b.answers.ReadByte(); err != io.EOF {
		r.t.Errorf("after Connection: close: %v", err)
	}
	return s
}

func (r *rig) waitFor(what string, ok func(Stats) bool) {
	r.t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		s := r.stats()
		if ok(s) {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("in vain: %s: %+v", what, s)
		}
	}
}

func waiting(n int) func(Stats) bool { return func(s Stats) bool { return s.Waiting == n } }

func TestDelivery(t *testing.T) {
	r := start(t, 100, time.Minute)
	var all []*browser
	for range 50 {
		b := r.connect()
		b.poll(0)
		all = append(all, b)
	}
	r.waitFor("50 wait", waiting(50))
	r.say(0, "one")
	for _, b := range all {
		b.want("1: one")
		b.poll(1)
	}
	r.waitFor("50 wait again", waiting(50))
	r.say(1, "two")
	for _, b := range all {
		b.want("2: two")
	}
	if s := r.stats(); s != (Stats{Connections: 51, Waiting: 0, Messages: 2}) {
		t.Errorf("%+v", s)
	}
	// Somebody who was away gets what was missed, a new one everything kept.
	r.say(0, "three")
	all[0].poll(1)
	all[1].poll(0)
	all[0].want("3: two three")
	all[1].want("3: one two three")
}

func TestHistoryIsLimited(t *testing.T) {
	r := start(t, 2, time.Minute)
	r.say(0, "a", "b", "c", "d")
	r.waitFor("four messages", func(s Stats) bool { return s.Messages == 4 })
	b := r.connect()
	b.poll(0)
	b.want("4: c d")
	b.poll(99) // from before a restart of the hub
	r.waitFor("it waits", waiting(1))
	r.say(0, "e")
	b.want("5: e")
}

func TestTimeout(t *testing.T) {
	r := start(t, 10, 150*time.Millisecond)
	b := r.connect()
	began := time.Now()
	b.poll(0)
	b.want("0:")
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
	b.poll(0)
	r.say(0, "later")
	b.want("1: later")
}

// A request may come in pieces, and the next one before the answer.
func TestRequestsInPieces(t *testing.T) {
	r := start(t, 10, time.Minute)
	b := r.connect()
	for _, c := range "GET /poll?after=0 HTTP/1.1\r\nHost: x\r\n\r\n" {
		b.send(string(c))
		time.Sleep(200 * time.Microsecond)
	}
	r.waitFor("it waits", waiting(1))
	b.poll(1) // while the first one waits
	b.send("GET /stats HTTP/1.1\r\nHost: x\r\n\r\nGET /po")
	r.say(0, "first")
	b.want("1: first")
	r.waitFor("the second one waits", waiting(1))
	b.send("ll?after=1 HTTP/1.1\r\nHost: x\r\n\r\n")
	r.say(0, "second")
	b.want("2: second")
	if status, body := b.answer(); status != http.StatusOK || !strings.Contains(string(body), `"messages":2`) {
		t.Errorf("status %d, %q", status, body)
	}
	b.want("2: second") // after=1 again
}

func TestBadRequests(t *testing.T) {
	r := start(t, 10, time.Minute)
	for request, want := range map[string]int{
		"GET /poll?after=x HTTP/1.1\r\nHost: x\r\n\r\n":                       400,
		"GET /poll HTTP/1.1\r\nHost: x\r\n\r\n":                               400,
		"GET /poll?after=-1 HTTP/1.1\r\nHost: x\r\n\r\n":                      400,
		"GET /other HTTP/1.1\r\nHost: x\r\n\r\n":                              404,
		"DELETE /poll?after=0 HTTP/1.1\r\nHost: x\r\n\r\n":                    405,
		"POST /poll?after=0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n": 400,
		"GET /poll?after=0 HTTP/1.1\r\nno colon\r\n\r\n":                      400,
		"\x16\x03\x01 hello\r\n\r\n":                                          400,
		"\r\n\r\n":                                                            400,
	} {
		b := r.connect()
		b.send(request)
		if status, body := b.answer(); status != want {
			t.Errorf("%.40q: status %d (%s), want %d", request, status, body, want)
		}
		if _, err := b.answers.ReadByte(); err == nil {
			t.Errorf("%.40q: the connection stays open", request)
		}
	}
	// A head without an end is not collected for ever.
	b := r.connect()
	_, _ = io.WriteString(b, "GET /poll?after=0 HTTP/1.1\r\nX: "+strings.Repeat("x", 2*maxRequest))
	if _, err := b.answers.ReadByte(); err == nil || os.IsTimeout(err) {
		t.Errorf("an endless head: %v", err)
	}
	r.waitFor("only this connection", func(s Stats) bool { return s == Stats{Connections: 1} })
}

// Those that leave while they wait are forgotten, the others still served.
func TestLeavers(t *testing.T) {
	r := start(t, 10, time.Minute)
	var stay []*browser
	for i := range 40 {
		b := r.connect()
		b.poll(0)
		if i%4 != 0 {
			stay = append(stay, b)
			continue
		}
		r.waitFor("it waits", func(s Stats) bool { return s.Waiting == len(stay)+1 || s.Waiting == len(stay) })
		if i%8 == 0 {
			_ = b.Conn.(*net.TCPConn).SetLinger(0)
		}
		b.Close()
	}
	r.waitFor("30 wait", waiting(30))
	r.say(1, "x")
	for _, b := range stay {
		b.want("1: x")
	}
}

// One that does not read its answers holds up nobody.
func TestSlowReader(t *testing.T) {
	r := start(t, 500, time.Minute)
	text := strings.Repeat("m", 3000)
	for range 500 {
		r.say(0, text)
	}
	r.waitFor("500 messages", func(s Stats) bool { return s.Messages == 500 })
	slow, quick := r.connect(), r.connect()
	_ = slow.Conn.(*net.TCPConn).SetReadBuffer(256 << 10)
	const polls = 6 // of 1.5 MB each
	for range polls {
		slow.poll(0)
	}
	quick.poll(500)
	r.waitFor("the quick one waits", waiting(1))
	r.say(1, "now")
	quick.want("501: now")
	for i := range polls {
		if got := slow.batch(); len(got) < 1_490_000 {
			t.Errorf("answer %d has %d bytes", i, len(got))
		}
	}
}

func TestBadEvents(t *testing.T) {
	r := start(t, 10, time.Minute)
	b := r.connect()
	b.poll(0)
	for _, line := range []string{"no JSON\n", "{}\n", "\n", strings.Repeat("y", 2*event.MaxBytes), "tail\n"} {
		if _, err := r.fifos[0].WriteString(line); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.say(0, "good")
	b.want("1: good")
	for _, want := range []string{`event "no JSON"`, "without a text", "dropped 8192 bytes"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, r.log.String())
		}
	}
}

func TestMakeFIFO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	for range 2 { // made, then found
		if err := MakeFIFO(name); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(file, "x")} {
		if err := MakeFIFO(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
