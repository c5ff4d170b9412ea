package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wordsize/examples/internal/cli"
	"wordsize/examples/prefork/page"
)

func TestLoad(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _ := page.ParsePath(r.URL.Path)
		if id >= 100 {
			id++ // which is wrong
		}
		w.Header().Set("X-Worker", "17")
		_, _ = w.Write(page.Build(id).Render())
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	for _, tc := range []struct {
		args, want string
		code       int
	}{
		{"--requests 30 --pages 100 --addr " + addr, "30 pages right, 0 wrong, 0 failed, from 1 workers", cli.OK},
		{"--requests 30 --pages 5000 --addr " + addr, "not that page", cli.Failure},
		{"--requests 30", "--addr is missing", cli.Usage},
		{"--requests 0 --addr " + addr, "0 requests", cli.Usage},
		{"--pages 0 --addr " + addr, "0 pages", cli.Usage},
		{"--concurrency 0 --addr " + addr, "concurrency of 0", cli.Usage},
	} {
		var out strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), nil, &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, out.String())
		}
	}
}
