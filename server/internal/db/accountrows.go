package db

import (
	"context"

	"github.com/uptrace/bun"
)

// TextsOf returns the ids of an account's texts: the texts of its library, and the texts that
// belong to the account alone.
func (r Reader) TextsOf(ctx context.Context, account string) (ids []string, err error) {
	err = r.db.NewRaw(`SELECT id FROM transcripts WHERE owner = ?0 AND owner <> ''
		UNION SELECT transcript_id FROM library_rows WHERE account = ?0 AND kind = 'transcript' ORDER BY 1`, account).Scan(ctx, &ids)
	return ids, wrap("texts of "+account, err)
}

// RecordingsOf returns all recordings that an account keeps.
func (r Reader) RecordingsOf(ctx context.Context, account string) (all []Recording, err error) {
	err = r.db.NewSelect().Model(&all).Where("account = ?", account).Order("external_id").Scan(ctx)
	return all, wrap("recordings of "+account, err)
}

// LongSnapshot is Snapshot for a reader that may pause between two questions for any time.
func (s *Store) LongSnapshot(ctx context.Context, read func(ctx context.Context, r Reader) error) error {
	return s.sql.Snapshot(ctx, func(ctx context.Context, db bun.IDB) error {
		if s.Shared() {
			if _, err := db.NewRaw("SET LOCAL idle_in_transaction_session_timeout = 0").Exec(ctx); err != nil {
				return wrap("snapshot", err)
			}
		}
		return read(ctx, newReader(&source{db: db, shared: s.Shared()}))
	})
}
