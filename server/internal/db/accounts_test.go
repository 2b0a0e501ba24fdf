package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		_, err := s.Accounts.ByID(ctx, "acme")
		require.ErrorIs(t, err, db.ErrNotFound)

		then := now().Add(-time.Hour)
		acme := db.Account{ID: "acme", Plan: "free", CreatedAt: then, UpdatedAt: then}
		beta := db.Account{ID: "beta", Plan: "pro", CreatedAt: then, UpdatedAt: then}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Accounts.Put(ctx, beta))
			require.NoError(t, tx.Accounts.Put(ctx, acme))
		})
		all, err := s.Accounts.All(ctx)
		require.NoError(t, err)
		require.Equal(t, []db.Account{acme, beta}, all)

		later := db.Account{ID: "acme", Plan: "pro", Suspended: true, Prompt: "Grafana", CreatedAt: now(), UpdatedAt: now()}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Accounts.Put(ctx, later)) })
		got, err := s.Accounts.ByID(ctx, "acme")
		require.NoError(t, err)
		later.CreatedAt = then
		require.Equal(t, later, got)
		for id, want := range map[string]string{"acme": "Grafana", "beta": "", "nobody": ""} {
			prompt, err := s.Accounts.Prompt(ctx, id)
			require.NoError(t, err)
			require.Equal(t, want, prompt, id)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		expires := now().Add(time.Hour)
		key := db.Key{
			ID: "1", Account: "acme", Prefix: "tr_9fK2mQ7a", Hash: []byte{0, 1, 255}, Name: "ci's",
			Scopes: []string{"transcripts", "batches"}, CreatedAt: now(), ExpiresAt: &expires,
		}
		require.ErrorIs(t, s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.Keys.Insert(ctx, key)
		}), db.ErrNotFound, "an account that does not exist")

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Accounts.Put(ctx, db.Account{ID: "acme", Plan: "free", Suspended: true, Prompt: "Grafana"}))
			require.NoError(t, tx.Keys.Insert(ctx, key))
			twin := key
			twin.ID = "2"
			require.ErrorIs(t, tx.Keys.Insert(ctx, twin), db.ErrExists)
			_, err := tx.Accounts.ByID(ctx, "acme")
			require.NoError(t, err, "the transaction stays usable")
		})

		got, account, err := s.Keys.ByPrefix(ctx, key.Prefix)
		require.NoError(t, err)
		require.Equal(t, key, got)
		require.Equal(t, "acme", account.ID)
		require.True(t, account.Suspended)
		require.Equal(t, "Grafana", account.Prompt)
		require.False(t, account.CreatedAt.IsZero())
		_, _, err = s.Keys.ByPrefix(ctx, "tr_unknown0")
		require.ErrorIs(t, err, db.ErrNotFound)

		for account, n := range map[string]int{"acme": 1, "other": 0} {
			keys, err := s.Keys.OwnedBy(ctx, account)
			require.NoError(t, err)
			require.Len(t, keys, n, account)
		}
		counts := func(want int64, at, since time.Time) {
			t.Helper()
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				n, err := tx.Keys.Count(ctx, "acme", at, since)
				require.NoError(t, err)
				require.Equal(t, want, n)
			})
		}
		counts(1, now(), expires)
		counts(0, expires, expires)
		counts(1, expires, key.CreatedAt.Add(-time.Second)) // as it is young

		revoked := now()
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.ErrorIs(t, tx.Keys.RevokeOwned(ctx, "other", key.Prefix, revoked.Add(-time.Hour)), db.ErrNotFound)
			require.NoError(t, tx.Keys.RevokeOwned(ctx, "acme", key.Prefix, revoked))
			require.NoError(t, tx.Keys.Revoke(ctx, key.Prefix, revoked))
			require.NoError(t, tx.Keys.Revoke(ctx, key.Prefix, revoked.Add(time.Hour)))
			require.ErrorIs(t, tx.Keys.Revoke(ctx, "tr_unknown0", revoked), db.ErrNotFound)
		})

		counts(0, now(), expires)

		used := now()
		for _, touch := range []struct{ at, want time.Time }{
			{used, used},
			{used.Add(59 * time.Second), used},
			{used.Add(time.Minute), used.Add(time.Minute)},
		} {
			require.NoError(t, s.TouchKey(ctx, key.ID, touch.at))
			keys, err := s.Keys.All(ctx)
			require.NoError(t, err)
			require.Len(t, keys, 1)
			require.Equal(t, &touch.want, keys[0].LastUsedAt)
			require.Equal(t, &revoked, keys[0].RevokedAt, "the first revocation stays")
		}
	})
}
