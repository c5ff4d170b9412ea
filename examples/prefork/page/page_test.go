package page

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for _, id := range []uint32{0, 1, 19877, 29998, math.MaxUint32} {
		if got, ok := ParsePath(Path(id)); !ok || got != id {
			t.Errorf("%d -> %s -> %d, %v", id, Path(id), got, ok)
		}
	}
	for _, bad := range []string{"", "/", "/gallery/", "/gallery/1/", "/users/01/", "/users/1", "/users/1/2/", "/users/-1/", "/users/4294967297/", "/gallery/x/"} {
		if id, ok := ParsePath(bad); ok {
			t.Errorf("%q is page %d", bad, id)
		}
	}
}

// Both builds and all versions have to make the same pages: the client checks
// the one's pages with the other's code.
func TestPagesAreFixed(t *testing.T) {
	h := sha256.New()
	for id := range uint32(200) {
		h.Write(Build(id).Render())
	}
	const want = "125089f1ae42c1ae"
	if got := fmt.Sprintf("%.8x", h.Sum(nil)); got != want {
		t.Errorf("pages 0 to 199 have the sum %s, want %s", got, want)
	}
	if a, b := string(Build(7).Render()), string(Build(8).Render()); a == b || !strings.Contains(a, "/wiki/7/") {
		t.Errorf("page 7: %s", a)
	}
}

func TestCache(t *testing.T) {
	c := NewCache(2)
	get := func(id uint32, want bool) {
		t.Helper()
		p, held := c.Get(id)
		if p.ID != id || held != want {
			t.Errorf("page %d: got %d, held %v", id, p.ID, held)
		}
	}
	get(1, false)
	get(2, false)
	get(1, true)
	get(3, false) // 2 goes
	get(1, true)
	get(2, false) // 3 goes
	get(3, false)
	if c.Len() != 2 || len(c.pages) != 2 {
		t.Errorf("%d pages in order, %d by number", c.Len(), len(c.pages))
	}
	none := NewCache(0)
	none.Get(1)
	if _, held := none.Get(1); held || none.Len() != 0 {
		t.Error("a cache of no pages holds one")
	}
}
