// Command go-lru is a cache that forgets what was used least recently:
// container/list and a map from string to entry, after steady churn, with
// the garbage that the collector happens to have left.
package main

import (
	"container/list"
	"fmt"
	"math/rand/v2"
	"time"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type entry struct {
	key     string
	value   []byte
	expires time.Time
	hits    int
}

type cache struct {
	size  int
	order *list.List
	items map[string]*list.Element
}

func (c *cache) put(e *entry) {
	if el, ok := c.items[e.key]; ok {
		el.Value = e
		c.order.MoveToFront(el)
		return
	}
	c.items[e.key] = c.order.PushFront(e)
	if c.order.Len() > c.size {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(*entry).key)
	}
}

func (c *cache) get(key string) *entry {
	el, ok := c.items[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(el)
	e := el.Value.(*entry)
	e.hits++
	return e
}

func main() {
	r := rand.New(rand.NewPCG(3, 4))
	start := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	c := &cache{size: 150_000, order: list.New(), items: map[string]*list.Element{}}
	for i := range 600_000 {
		key := fmt.Sprintf("session:%06d", r.IntN(400_000))
		if c.get(key) == nil {
			value := make([]byte, 40+r.IntN(120))
			for j := range value {
				value[j] = byte(' ' + r.IntN(90))
			}
			c.put(&entry{key: key, value: value, expires: start.Add(time.Duration(i) * time.Second)})
		}
	}
	stage.Ready(c)
}
