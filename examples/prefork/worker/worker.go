// Package worker serves pages, one connection at a time, as a process of a
// prefork server does.
package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"wordsize/examples/prefork/page"
)

// Config says what to serve.
type Config struct {
	Pages uint32 // of the site: numbers below this exist
	Cache int    // pages to hold
	Warm  int    // pages to load before the first request
	Title func(string)
	Ready func() // called when the first request can come
}

// Serve answers requests until ctx ends, which is no error. It closes ln.
func Serve(ctx context.Context, ln net.Listener, cfg Config) error {
	w := &worker{cfg: cfg, cache: page.NewCache(cfg.Cache)}
	cfg.Title("page (loading)")
	for id := range uint32(cfg.Warm) {
		if ctx.Err() != nil {
			ln.Close()
			return nil
		}
		w.cache.Get(id % cfg.Pages)
	}
	cfg.Title("page (idle)")
	srv := &http.Server{Handler: w, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
	srv.SetKeepAlivesEnabled(false) // one that keeps its connection would keep the worker
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = srv.Shutdown(grace)
	})
	cfg.Ready()
	err := srv.Serve(&oneAtATime{Listener: ln, free: make(chan struct{}, 1), done: ctx.Done()})
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

type worker struct {
	cfg   Config
	cache *page.Cache
}

func (w *worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("X-Worker", strconv.Itoa(os.Getpid()))
	id, ok := page.ParsePath(r.URL.Path)
	if !ok || id >= w.cfg.Pages {
		http.Error(rw, fmt.Sprintf("no page %q", r.URL.Path), http.StatusNotFound)
		return
	}
	w.cfg.Title("page '" + r.URL.Path + "'") // and stays until the next one
	p, held := w.cache.Get(id)
	rw.Header().Set("X-Cache", map[bool]string{true: "hit", false: "miss"}[held])
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(p.Render())
}

// A oneAtATime listener accepts a connection only once the one before is
// closed; others wait in the kernel, for whichever worker is free first.
type oneAtATime struct {
	net.Listener
	free chan struct{} // holds a token while a connection is open
	done <-chan struct{}
}

func (l *oneAtATime) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &onlyConn{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
}

type onlyConn struct {
	net.Conn
	release func()
}

func (c *onlyConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
