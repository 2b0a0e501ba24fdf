package server

import (
	"sync"
)

// streamCounter counts the open streams of each account. The zero value is
// ready.
type streamCounter struct {
	mu      sync.Mutex
	streams map[string]int
}

// open counts a new stream, unless the account has as many as it may: limit 0
// is the default, a negative one no limit.
func (c *streamCounter) open(account string, limit int) bool {
	if limit == 0 {
		limit = defaultStreams
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit > 0 && c.streams[account] >= limit {
		return false
	}
	if c.streams == nil {
		c.streams = map[string]int{}
	}
	c.streams[account]++
	return true
}

func (c *streamCounter) close(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[account]--; c.streams[account] <= 0 {
		delete(c.streams, account)
	}
}
