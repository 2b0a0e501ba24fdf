package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Standing returns what an account has used in the period that begins at start, its places
// for recognition, and the key of the request.
func (p *Pipeline) Standing(ctx context.Context, account, keyID string, start time.Time) (db.Standing, error) {
	return p.store.Accounts.Standing(ctx, account, keyID, start)
}
