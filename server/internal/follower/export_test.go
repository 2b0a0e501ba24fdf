package follower

import (
	"context"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// The tests read feeds with places of their own.
const LargeFeed = largeFeed

var ErrNoPlace = errNoPlace

type Place = place

func NewPlace(line *underway.Line, account string) *Place {
	return &place{line: line, account: account}
}

func (p *place) Reading(ctx context.Context, body io.Reader) io.Reader { return p.reading(ctx, body) }

func (p *place) End() { p.end() }
