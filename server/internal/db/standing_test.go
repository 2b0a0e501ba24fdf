package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

func TestStanding(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		stands := func(account, key string, period time.Time) db.Standing {
			t.Helper()
			got, err := s.Accounts.Standing(t.Context(), account, key, period)
			require.NoError(t, err)
			return got
		}
		assert.Zero(t, stands("nobody", "", november))

		used, expires := now().Add(-time.Hour), now().Add(time.Hour)
		key := db.Key{
			ID: "1", Account: "acme", Prefix: "tr_9fK2mQ7a", Name: "ci's", Scopes: []string{"transcripts", "batches"},
			CreatedAt: now(), ExpiresAt: &expires,
		}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			for _, account := range []string{"acme", "beta"} {
				require.NoError(t, tx.Accounts.Put(ctx, db.Account{ID: account, Plan: "pro"}))
			}
			stored := key
			stored.Hash = []byte{1}
			require.NoError(t, tx.Keys.Insert(ctx, stored))
			_, err := tx.Allowances.Pay(ctx, "acme", db.Limits{Period: november, Transcripts: 5, ASRMinutes: 5}, db.Allowance{Transcripts: 4, Minutes: 3})
			require.NoError(t, err)
		})
		running, waiting := jobOf(t, s, "acme", db.Limits{}), jobOf(t, s, "acme", db.Limits{Period: november, Transcripts: -1, ASRMinutes: -1})
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			for _, j := range []*db.Job{running, waiting} {
				_, err := tx.Places.Take(ctx, j)
				require.NoError(t, err)
			}
			require.NoError(t, tx.Places.SetState(ctx, running.WorkID, db.Running))
		})
		require.True(t, hold(t, s, waiting, db.Allowance{Transcripts: 1, Minutes: 9}))

		want := db.Standing{
			Usage: db.Usage{
				Used:     db.Allowance{Transcripts: 4, Minutes: 3},
				Reserved: db.Allowance{Transcripts: 1, Minutes: 9},
			},
			Places: db.PlacesInUse{Running: 1, Waiting: 1},
			Key:    &key,
		}
		assert.Equal(t, want, stands("acme", "1", november))
		require.NoError(t, s.TouchKey(t.Context(), "1", used))
		key.LastUsedAt = &used
		assert.Equal(t, want, stands("acme", "1", november))

		want.Usage, want.Key = db.Usage{}, nil
		assert.Equal(t, want, stands("acme", "2", november.AddDate(0, 1, 0)), "another period, and an id that is no key's")
		assert.Zero(t, stands("beta", "1", november), "another account's key")
	})
}
