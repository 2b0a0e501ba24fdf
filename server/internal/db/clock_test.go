package db_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// ownClock are options under which the functions of the schema public come before those
// of PostgreSQL, its clocks among them.
func ownClock(t *testing.T, o db.Options) db.Options {
	t.Helper()
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	query := u.Query()
	query.Set("search_path", "public,pg_catalog")
	u.RawQuery = query.Encode()
	o.Database = u.String()
	return o
}

// TestDatabaseClockIsSet lets the database's clock jump. Steps run in time all the same.
func TestDatabaseClockIsSet(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	raw := open(t, o)
	set := func(by string) {
		for _, clock := range []string{"now", "clock_timestamp"} {
			raw.exec(t, fmt.Sprintf(`CREATE OR REPLACE FUNCTION public.%[1]s() RETURNS timestamptz STABLE LANGUAGE sql
				AS $$ SELECT pg_catalog.%[1]s() + interval '%[2]s' $$`, clock, by))
		}
	}
	set("0")
	s := dbtest.Open(t, ownClock(t, o))
	ran := make(chan string, 10)
	start := func() {
		runner(t, s, queue.Workers{Process: "p", Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
			ran <- step.Name
			return nil
		})})
	}
	enqueue(t, s, "before it is set back")
	set("2 minutes")
	enqueue(t, s, "while it is ahead")
	set("-1 hour")
	enqueue(t, s, "while it is behind")
	start()
	assert.ElementsMatch(t, []string{"before it is set back", "while it is ahead", "while it is behind"},
		[]string{receive(t, ran), receive(t, ran), receive(t, ran)})

	began := time.Now()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Queue.EnqueueAt(ctx, work{Name: "later"}, time.Now().Add(time.Second)))
	})
	require.Equal(t, "later", receive(t, ran))
	assert.GreaterOrEqual(t, time.Since(began), time.Second)
}
