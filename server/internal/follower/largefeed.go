package follower

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// To read more than largeFeed bytes of a feed, a check needs one of the largeFeeds places of the
// process. This limits the memory for feeds. An account has one place at a time.
const (
	largeFeed  = 2 << 20
	largeFeeds = 8
)

// errNoPlace means that the check got no place before its time ended.
var errNoPlace = errors.New("follows: other large feeds are being read")

// place is the place that a check takes when its feed turns out to be large. The check keeps it
// until it ends.
type place struct {
	line    *underway.Line
	account string
	leave   func() // nil if the feed has no place
}

func (lk *looker) placeOf(account string) *place {
	return &place{line: lk.largeFeeds, account: account}
}

// take waits for a place, unless the feed already has one.
func (p *place) take(ctx context.Context) (err error) {
	if p.leave != nil {
		return nil
	}
	if p.leave, err = p.line.Take(ctx, p.account); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	return nil
}

// end returns the place when the check has ended.
func (p *place) end() {
	if p.leave != nil {
		p.leave()
	}
}

// reading returns the reader of a feed's body.
func (p *place) reading(ctx context.Context, body io.Reader) io.Reader {
	return &feedBody{ctx, body, p, 0}
}

// feedBody is the body of a feed, which takes a place when it is large.
type feedBody struct {
	ctx context.Context
	io.Reader
	place *place
	read  int // bytes
}

func (b *feedBody) Read(into []byte) (int, error) {
	if b.read > largeFeed {
		if err := b.place.take(b.ctx); err != nil {
			return 0, err
		}
	}
	n, err := b.Reader.Read(into)
	b.read += n
	return n, err
}
