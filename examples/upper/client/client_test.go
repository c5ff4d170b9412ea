package client

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// liar answers every n-th line with mangle(its upper case).
func liar(t *testing.T, n int, mangle func(string) string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				lines := bufio.NewScanner(c)
				for i := 1; lines.Scan(); i++ {
					answer := strings.ToUpper(lines.Text()) + "\n"
					if i%n == 0 {
						answer = mangle(answer)
					}
					if _, err := c.Write([]byte(answer)); err != nil || answer == "" {
						return
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// The check of the answers has to be able to fail.
func TestWrongAnswersAreSeen(t *testing.T) {
	cases := map[string]struct {
		mangle        func(string) string
		wrong, failed bool
	}{
		"right":      {func(s string) string { return s }, false, false},
		"lower case": {strings.ToLower, true, false},
		"too much":   {func(s string) string { return s + "X\n" }, true, false},
		"breaks off": {func(string) string { return "" }, false, true},
		"bit flip":   {func(s string) string { return s[:len(s)/2] + string(s[len(s)/2]^1) + s[len(s)/2+1:] }, true, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			addr := liar(t, 3, tc.mangle)
			res, err := Run(t.Context(), Config{Addr: addr, Conns: 2, Busy: 300 * time.Millisecond, Pause: time.Millisecond, Max: 2000, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if (res.Wrong > 0) != tc.wrong || (res.Failed > 0) != tc.failed || (res.First != nil) != (tc.wrong || tc.failed) {
				t.Errorf("%d strings, wrong %d, failed %d, first %v", res.Strings, res.Wrong, res.Failed, res.First)
			}
		})
	}
}

func TestRunErrors(t *testing.T) {
	good := Config{Addr: "127.0.0.1:1", Conns: 1, Max: 1}
	if _, err := Run(t.Context(), good); err == nil || !strings.Contains(err.Error(), "connection 1 of 1") {
		t.Errorf("nobody listens: %v", err)
	}
	for _, bad := range []Config{{Max: 1}, {Conns: 1}, {Conns: 1, Max: MaxString + 1}, {Conns: 1, Max: 1, Idle: -1}} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	good.Addr, good.Idle = liar(t, 1, strings.ToUpper), time.Hour
	if _, err := Run(ctx, good); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended while idle: %v", err)
	}
}

func TestCorpora(t *testing.T) {
	for _, longest := range []int{1, 2, 300, 9999} {
		texts := corpora(Config{Max: longest, Seed: 4})
		random := rand.New(rand.NewPCG(1, 2))
		beyond, long := 0, 0
		for range 2000 {
			s, upper := texts[random.IntN(len(texts))].cut(random, longest)
			if s == "" || len(s) > longest || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r") {
				t.Fatalf("at most %d bytes wanted: %q", longest, s)
			}
			if strings.ToUpper(s) != upper {
				t.Fatalf("the upper case of %q is not %q", s, upper)
			}
			if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
				beyond++
			}
			if 2*len(s) > longest {
				long++
			}
		}
		if (beyond < 10) != (longest == 1) || beyond > 500 || long < 800 { // one byte is ASCII
			t.Errorf("up to %d bytes: %d of 2000 strings hold letters beyond ASCII, %d are longer than half", longest, beyond, long)
		}
	}
}

func TestPercentile(t *testing.T) {
	r := Result{times: []time.Duration{30, 10, 20, 40}}
	if p, ok := r.Percentile(50); !ok || p != 30 {
		t.Errorf("median %v", p)
	}
	if p, ok := r.Percentile(100); !ok || p != 40 {
		t.Errorf("maximum %v", p)
	}
	if _, ok := (&Result{}).Percentile(50); ok {
		t.Error("nothing has a percentile")
	}
}
