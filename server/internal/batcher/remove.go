package batcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// RemoveAll removes the batches of an account that is being removed, with their items, including
// running ones, and returns the number of batches. Their jobs continue. The error is
// db.ErrNotFound if the account was made again.
func (bs *Batches) RemoveAll(ctx context.Context, account string) (n int64, err error) {
	for {
		ids, err := bs.store.Batches.IDs(ctx, account, tables.Some)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		for _, id := range ids {
			err := bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
				if err := tx.Removals.Lock(ctx, account); err != nil {
					return err
				}
				_, err := tx.Batches.LockOwned(ctx, account, id)
				if errors.Is(err, db.ErrNotFound) { // another process is removing the same account
					return nil
				}
				if err == nil {
					err = remove(ctx, tx, account, id)
				}
				return err
			})
			if err != nil {
				return n, err
			}
			n++
		}
	}
}

// RemoveEnded removes a batch of an account that has ended. The error is db.ErrNotFound if the
// batch was deleted or runs again.
func RemoveEnded(ctx context.Context, tx *db.Tx, account, id string) error {
	b, err := tx.Batches.LockOwned(ctx, account, id)
	if err == nil && !b.Status.Terminal() {
		err = fmt.Errorf("ended batch %s: %w", b.ID, db.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return remove(ctx, tx, account, id)
}

// remove removes a batch that the transaction has locked.
func remove(ctx context.Context, tx *db.Tx, account, id string) error {
	if err := tx.Library.HideBatch(ctx, account, id); err != nil {
		return err
	}
	return tx.Batches.Delete(ctx, id)
}
