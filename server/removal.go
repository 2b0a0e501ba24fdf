package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
)

// Removed counts what [Server.RemoveAccount] has removed.
type Removed struct {
	// Keys, Jobs, Batches, Follows, Webhooks and Shares count what the account had. Jobs
	// counts running jobs and the jobs that ended in the last days.
	Keys, Jobs, Batches, Follows, Webhooks, Shares int64
	// Contents counts the contents in the library. Content with transcripts in several
	// languages counts once.
	Contents int64
	// Files counts the kept recordings, their copies for playing, and the uploads of
	// the last day.
	Files int64
}

// RemoveAccount suspends the account, and then removes it with all its data: keys,
// library, jobs, batches, follows, webhooks, shares, uploads, recordings and usage. The
// text of a link stays in the cache, because it belongs to no account. If a file cannot
// be deleted, RemoveAccount logs that, and a started server deletes the file within
// about a day.
//
// RemoveAccount does not need a started server, and it works while other processes
// serve the same database: every process refuses the account's keys within about a
// second. Running jobs are cancelled. A request in progress may still write a row of
// the account. A started server removes that row within about an hour.
//
// RemoveAccount works in many short transactions. If one of them fails, or if ctx ends,
// the account stays suspended. Another call continues the removal, and so does a
// started server within about an hour. The error is [account.ErrNotFound] if there is
// no such account.
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
