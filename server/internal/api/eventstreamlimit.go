package api

import (
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// streamCounter counts the open streams of each account. The zero value is
// ready.
type streamCounter struct {
	mu      sync.Mutex
	streams map[string]int // by account
}

// errTooManyStreams refuses a stream of an account that has as many as it may.
var errTooManyStreams = edge.RateLimited(5 * time.Second)

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
