package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fake hub delivers by its own rules, so that the checks have to see it.
type fake struct {
	mu      sync.Mutex
	arrived sync.Cond
	text    string
	count   int
	waiting int
	polls   int
	answer  func(f *fake, poll int, w http.ResponseWriter)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.URL.Path {
	case "/stats":
		fmt.Fprintf(w, `{"waiting":%d,"messages":%d}`, f.waiting, f.count)
	case "/say":
		f.text = r.PostFormValue("text")
		f.count++
		f.arrived.Broadcast()
		w.WriteHeader(http.StatusAccepted)
	default:
		var after int
		fmt.Sscan(r.URL.Query().Get("after"), &after)
		f.waiting++
		for f.count <= after && r.Context().Err() == nil {
			f.arrived.Wait()
		}
		f.waiting--
		f.polls++
		f.answer(f, f.polls, w)
	}
}

func deliver(f *fake, w http.ResponseWriter, texts ...string) {
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"n":%d,"text":%q}`, f.count, texts[i])
	}
	fmt.Fprintf(w, `{"last":%d,"messages":[%s]}`, f.count, strings.Join(texts, ","))
}

func TestDeliveriesAreChecked(t *testing.T) {
	cases := map[string]struct {
		answer func(f *fake, poll int, w http.ResponseWriter)
		want   string
	}{
		"right":   {func(f *fake, _ int, w http.ResponseWriter) { deliver(f, w, f.text) }, ""},
		"another": {func(f *fake, _ int, w http.ResponseWriter) { deliver(f, w, "else") }, `got "else"`},
		"twice":   {func(f *fake, _ int, w http.ResponseWriter) { deliver(f, w, f.text, f.text) }, "twice"},
		"not all": {func(f *fake, poll int, w http.ResponseWriter) {
			if poll == 3 {
				deliver(f, w)
				return
			}
			deliver(f, w, f.text)
		}, "not all have the message"},
		"error": {func(f *fake, poll int, w http.ResponseWriter) {
			if poll == 2 {
				http.Error(w, "broken", http.StatusInternalServerError)
				return
			}
			deliver(f, w, f.text)
		}, "500 Internal Server Error"},
		"hangs up": {func(f *fake, poll int, w http.ResponseWriter) {
			if poll == 2 {
				panic(http.ErrAbortHandler)
			}
			deliver(f, w, f.text)
		}, "1 connections lost"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: tc.answer}
			f.arrived.L = &f.mu
			srv := httptest.NewServer(f)
			defer srv.Close()
			addr := strings.TrimPrefix(srv.URL, "http://")
			crowd, err := Park(t.Context(), Config{Hub: addr, Say: addr, Conns: 4, PerSource: 3, Timeout: 600 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			d, err := crowd.Say(t.Context(), "hello")
			switch {
			case tc.want == "" && (err != nil || d.Reached != 4 || d.First <= 0 || d.Last < d.First):
				t.Errorf("%+v, %v", d, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%v, want %q", err, tc.want)
			}
			f.mu.Lock() // lets the polls that wait end
			f.count += 100
			f.answer = func(f *fake, _ int, w http.ResponseWriter) { deliver(f, w) }
			f.mu.Unlock()
			go func() { time.Sleep(10 * time.Millisecond); f.arrived.Broadcast() }()
			crowd.Close()
		})
	}
}

func TestPark(t *testing.T) {
	good := Config{Hub: "127.0.0.1:1", Say: "127.0.0.1:1", Conns: 1, PerSource: 1, Timeout: time.Second}
	if _, err := Park(t.Context(), good); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody listens: %v", err)
	}
	for want, change := range map[string]func(*Config){
		"0 connections": func(c *Config) { c.Conns = 0 },
		"at most 250":   func(c *Config) { c.Conns = 251 },
		"one address":   func(c *Config) { c.PerSource = 0 },
		"timeout":       func(c *Config) { c.Timeout = 0 },
		"ulimit -n":     func(c *Config) { c.Conns, c.PerSource = 1<<30, 1<<30 },
	} {
		bad := good
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", bad, err, want)
		}
	}
}
