package server

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// streamCounter counts the open streams of each account. The zero value is
// ready.
type streamCounter struct {
	mu      sync.Mutex
	streams map[string]int // by account
}

// open counts a new stream, unless the account has as many as it may.
func (c *streamCounter) open(owner string, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit != account.Unlimited && c.streams[owner] >= limit {
		return false
	}
	if c.streams == nil {
		c.streams = map[string]int{}
	}
	c.streams[owner]++
	return true
}

func (c *streamCounter) close(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[owner]--; c.streams[owner] <= 0 {
		delete(c.streams, owner)
	}
}
