package page

import "container/list"

// A Cache keeps the pages that were asked for last. It is for one goroutine:
// a prefork worker serves one request at a time.
type Cache struct {
	max   int
	pages map[uint32]*list.Element // of *Page
	order *list.List               // the page that was asked for last is in front
}

// NewCache makes a cache of at most n pages; with n 0 it holds nothing.
func NewCache(n int) *Cache {
	return &Cache{max: n, pages: map[uint32]*list.Element{}, order: list.New()}
}

// Len returns how many pages are held.
func (c *Cache) Len() int { return c.order.Len() }

// Get returns a page, built if it isn't held.
func (c *Cache) Get(id uint32) (p *Page, held bool) {
	if e := c.pages[id]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*Page), true
	}
	p = Build(id)
	if c.max <= 0 {
		return p, false
	}
	if c.order.Len() >= c.max {
		oldest := c.order.Back()
		delete(c.pages, oldest.Value.(*Page).ID)
		c.order.Remove(oldest)
	}
	c.pages[id] = c.order.PushFront(p)
	return p, false
}
