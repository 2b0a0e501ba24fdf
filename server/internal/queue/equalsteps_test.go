package queue_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestEqualStepsAreOne enqueues equal steps at the same time. Another account, another kind of work
// and a step that runs already are not equal.
func TestEqualStepsAreOne(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		once := func(steps ...db.IndexStep) {
			var all sync.WaitGroup
			for _, step := range steps {
				for range 8 {
					all.Go(func() {
						assert.NoError(t, s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
							return tx.Queue.EnqueueOnce(ctx, step, time.Hour)
						}))
					})
				}
			}
			all.Wait()
		}
		bind, gone := db.IndexStep{Account: "acme"}, db.IndexStep{Account: "acme", Gone: true}
		once(bind, gone, db.IndexStep{Account: "other"})
		raw := open(t, o)
		assert.Equal(t, 3, raw.count(t, "river_job"))
		raw.exec(t, "UPDATE river_job SET state = 'running', attempted_at = scheduled_at")
		once(bind)
		assert.Equal(t, 4, raw.count(t, "river_job"), "a step that runs may have read the rows already")
	})
}

// TestEqualStepSeesTheChange lets no process take the step that waits before the transaction ends
// that relies on it.
func TestEqualStepSeesTheChange(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	const free = "(SELECT id FROM river_job FOR UPDATE SKIP LOCKED) AS free" // as River takes steps
	once := func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Queue.EnqueueOnce(ctx, db.IndexStep{Account: "acme"}, 0))
	}
	inTx(t, s, once)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		once(ctx, tx)
		assert.Zero(t, raw.count(t, free))
	})
	assert.Equal(t, 1, raw.count(t, free))
}
