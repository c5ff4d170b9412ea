package client

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wordsize/examples/prefork/page"
)

func TestPagesAreChecked(t *testing.T) {
	const pages = 50
	mangle := map[string]func(http.ResponseWriter, []byte){
		"right":   func(w http.ResponseWriter, b []byte) { _, _ = w.Write(b) },
		"another": func(w http.ResponseWriter, _ []byte) { _, _ = w.Write(page.Build(pages + 1).Render()) },
		"cut":     func(w http.ResponseWriter, b []byte) { _, _ = w.Write(b[:len(b)-1]) },
		"error": func(w http.ResponseWriter, b []byte) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(b)
		},
		"hang up!": func(http.ResponseWriter, []byte) { panic(http.ErrAbortHandler) },
	}
	for name, answer := range mangle {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id, ok := page.ParsePath(r.URL.Path)
				if !ok || id >= pages {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.Header().Set("X-Worker", "17")
				answer(w, page.Build(id).Render())
			}))
			defer srv.Close()
			res, err := Run(t.Context(), Config{Addr: strings.TrimPrefix(srv.URL, "http://"), Requests: 40, Concurrency: 4, Pages: pages})
			if err != nil {
				t.Fatal(err)
			}
			want := Result{Wrong: 40}
			switch name {
			case "right":
				want = Result{Right: 40}
			case "hang up!":
				want = Result{Failed: 40}
			}
			if res.Right != want.Right || res.Wrong != want.Wrong || res.Failed != want.Failed || (res.First == nil) != (name == "right") {
				t.Errorf("%d right, %d wrong, %d failed, first %v", res.Right, res.Wrong, res.Failed, res.First)
			}
		})
	}
}
