// Package client asks a prefork server for random pages and checks each.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"wordsize/examples/prefork/page"
)

// Config says what to ask for.
type Config struct {
	Addr        string
	Requests    int
	Concurrency int
	Pages       uint32 // numbers below this are asked for
	Seed        uint64
}

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	switch {
	case c.Requests < 1:
		return fmt.Errorf("%d requests: want at least 1", c.Requests)
	case c.Concurrency < 1:
		return fmt.Errorf("a concurrency of %d: want at least 1", c.Concurrency)
	case c.Pages < 1:
		return fmt.Errorf("a site of %d pages: want at least 1", c.Pages)
	}
	return nil
}

// A Result counts the pages that came.
type Result struct {
	Right, Wrong, Failed int
	First                error          // the first reason of a failure or a wrong page
	Workers              map[string]int // pages by the PID of the worker
	Took                 time.Duration
}

// Run asks for the pages; its error is that of ctx.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	res := &Result{Workers: map[string]int{}}
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		next atomic.Int64
	)
	start := time.Now()
	for i := range cfg.Concurrency {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(cfg.Seed, uint64(i)))
			for ctx.Err() == nil && next.Add(1) <= int64(cfg.Requests) {
				worker, right, err := ask(ctx, client, cfg.Addr, random.Uint32N(cfg.Pages))
				mu.Lock()
				res.count(worker, right, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	res.Took = time.Since(start)
	return res, ctx.Err()
}

func (r *Result) count(worker string, right bool, err error) {
	switch {
	case right:
		r.Right++
		r.Workers[worker]++
		return
	case worker != "":
		r.Wrong++
	default:
		r.Failed++
	}
	if r.First == nil {
		r.First = err
	}
}

// ask fetches a page. worker is empty when no answer came.
func ask(ctx context.Context, client *http.Client, addr string, id uint32) (worker string, right bool, err error) {
	path := page.Path(id)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return "", false, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", false, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", false, err
	}
	if worker = resp.Header.Get("X-Worker"); worker == "" {
		worker = "?"
	}
	if resp.StatusCode != http.StatusOK || !bytes.Equal(body, page.Build(id).Render()) {
		return worker, false, fmt.Errorf("%s: status %s and %d bytes that are not that page", path, resp.Status, len(body))
	}
	return worker, true, nil
}
