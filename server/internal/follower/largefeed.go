package follower

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// To read more than largeFeed bytes of a feed, a look needs one of the largeFeeds places of the process.
// So the memory for feeds is bounded. An account has one place at a time.
const (
	largeFeed  = 2 << 20
	largeFeeds = 8
)

// errNoPlace tells that the look got no place before its time was over.
var errNoPlace = errors.New("follows: other large feeds are being read")

// place is the place that a look takes when its feed turns out to be large. The look keeps it to its end.
type place struct {
	line    *underway.Line
	account string
	leave   func() // nil means that the feed has no place
}

func (lk *looker) placeOf(account string) *place {
	return &place{line: lk.largeFeeds, account: account}
}

// take waits for a place, unless the feed has one.
func (p *place) take(ctx context.Context) (err error) {
	if p.leave != nil {
		return nil
	}
	if p.leave, err = p.line.Take(ctx, p.account); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	return nil
}

// end gives the place back when the look has ended.
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
