package follower

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// looksToMove is how many consecutive checks must be redirected permanently to an address
	// before checks begin there.
	looksToMove = 3
	// maxMoved limits an address that redirects name, in bytes.
	maxMoved = 2 << 10
)

// movedTo returns the address to which permanent redirects led a request, or "". A temporary
// redirect ends the sequence, and so does a redirect from https to http.
func movedTo(last *http.Request) string {
	var hops []*http.Request // the redirects, last first
	for r := last; r != nil && r.Response != nil; r = r.Response.Request {
		hops = append(hops, r)
	}
	var reached url.URL
	for _, hop := range slices.Backward(hops) {
		before := hop.Response
		if before.StatusCode != http.StatusMovedPermanently && before.StatusCode != http.StatusPermanentRedirect {
			break
		}
		if before.Request.URL.Scheme == "https" && hop.URL.Scheme != "https" {
			break
		}
		reached = *hop.URL
	}
	reached.Fragment, reached.RawFragment = "", ""
	address := reached.String()
	if len(address) > maxMoved {
		return ""
	}
	return address
}

// learn counts the consecutive checks that permanent redirects led to one address. After
// looksToMove of them, the checks of a locked feed begin at that address. Its URL does
// not change.
func (lk *looker) learn(ctx context.Context, tx *db.Tx, s *source, address string) (moves, error) {
	if address == "" || address == s.FeedURL || s.Kind != follow.Feed { // the publisher cannot change the address of a platform's feed
		return moves{}, nil
	}
	q := &queued{SourceID: s.ID}
	if err := sqldb.One("look", tx.SQL().NewSelect().Model(q).WherePK().Scan(ctx)); err != nil {
		return moves{}, err
	}
	m := moves{to: address, looks: 1}
	if q.MovedTo == address {
		m.looks = q.MovedLooks + 1
	}
	if m.looks < looksToMove {
		return m, nil
	}
	taken, err := tx.SQL().NewSelect().Model((*source)(nil)).Where("kind = ? AND url = ?", s.Kind, address).Exists(ctx)
	if err != nil {
		return moves{}, sqldb.Wrap("source at the new address", err)
	}
	if !taken { // otherwise the publisher would be asked twice at one address
		lk.Log.InfoContext(ctx, "a followed feed has moved", "source", s.ID, "host", hostOf(s.FeedURL), "to", hostOf(address))
		s.FeedURL = address
	}
	return moves{}, nil
}

// moves is how many consecutive checks permanent redirects led to an address.
type moves struct {
	to    string
	looks int
}
