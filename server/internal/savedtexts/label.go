package savedtexts

import (
	"context"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
)

// Label changes the title and the tags of a content in the library of an account, in all languages.
// labels.Clean has returned the change. The error is NO_TRANSCRIPT if the library has no row that the
// key names.
func (l *Library) Label(ctx context.Context, account string, key library.Key, change library.Label) error {
	err := l.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Library.LockTexts(ctx, key.Platform, key.ExternalID); err != nil {
			return err
		}
		if _, err := tx.Library.Row(ctx, account, key); err != nil {
			return err
		}
		return labels.Set(ctx, tx.SQL(), account, key, change)
	})
	if err != nil {
		return libraryError("changing a library", err)
	}
	return nil
}
