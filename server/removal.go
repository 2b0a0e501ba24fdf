package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
)

// Removed is how much of an account RemoveAccount has removed.
type Removed struct {
	// Keys, Jobs, Batches, Follows, Webhooks and Shares are how many the account had. Jobs are
	// those that ran, and those of the last days.
	Keys, Jobs, Batches, Follows, Webhooks, Shares int64
	// Contents are the entries of the library. A content with several languages counts once.
	Contents int64
	// Files are the kept recordings, their copies for playing, and the uploads of the last day.
	Files int64
}

// RemoveAccount suspends the account with the name, and removes the account and everything that
// belongs to it: keys, library, jobs, batches, follows, webhooks, shares, uploads, recordings and
// usage. A text of a link stays in the cache, because it belongs to no account. A deletion of a
// file that fails is logged, and the service deletes the file within about a day.
//
// RemoveAccount works on a server that was not started, and while other processes serve the same
// database: every process refuses the keys within about a second. Running jobs are cancelled.
// A request that is under way may still write a row of the account; the service removes this row
// within about an hour.
//
// The work is done in many short transactions. If one of them fails, or if ctx ends, the account
// stays suspended, and another call goes on. So does a started server, within about an hour. The
// error is [account.ErrNotFound] if there is no such account.
func (s *Server) RemoveAccount(ctx context.Context, name string) (Removed, error) {
	n, err := s.pipeline.Removals.Remove(ctx, name)
	removed := Removed{
		Keys: n["keys"], Jobs: n["jobs"], Batches: n["batches"], Follows: n["follows"], Webhooks: n["webhook_endpoints"], Shares: n["shares"],
		Contents: n[retention.Contents], Files: n["recordings"] + n["uploads"],
	}
	switch {
	case errors.Is(err, db.ErrNotFound):
		return removed, fmt.Errorf("%w: %q", account.ErrNotFound, name)
	case err != nil:
		return removed, fmt.Errorf("server: %w", err)
	}
	return removed, nil
}
