package worker

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	hub, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	fifo, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, fifo) }()
	say := func(form url.Values) int {
		resp, err := http.PostForm("http://"+ln.Addr().String()+"/say", form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	events := bufio.NewReader(hub)
	if status := say(url.Values{"from": {"<me>"}, "text": {"a & b"}}); status != http.StatusAccepted {
		t.Errorf("status %d", status)
	}
	if line, err := events.ReadString('\n'); err != nil || line != `{"from":"\u0026lt;me\u0026gt;","text":"a \u0026amp; b"}`+"\n" {
		t.Errorf("event %q, %v", line, err)
	}
	for want, form := range map[int]url.Values{
		http.StatusBadRequest:            {"from": {"x"}},
		http.StatusRequestEntityTooLarge: {"text": {strings.Repeat("long", 1024)}},
	} {
		if status := say(form); status != want {
			t.Errorf("%.30v: status %d, want %d", form, status, want)
		}
	}
	if status := say(url.Values{"text": {"\xff"}}); status != http.StatusBadRequest {
		t.Errorf("not UTF-8: status %d", status)
	}
	if resp, err := http.Get("http://" + ln.Addr().String() + "/say"); err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %v", resp, err)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
