package queue_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// BenchmarkQueue compares how many steps the workers take in a second where
// 100,000 steps of 100 accounts wait with how many the workers take where 1,000 wait.
func BenchmarkQueue(b *testing.B) {
	if !ratio.Wanted("claims a second") {
		return
	}
	for _, database := range []struct {
		name string
		make func(testing.TB) db.Options
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		b.Run(database.name, func(b *testing.B) {
			sizes := []int{1_000, 100_000}
			stores := make([]*db.Store, len(sizes))
			for i, n := range sizes {
				stores[i] = backlog(b, database.make(b), n)
			}
			for b.Loop() {
				const rounds = 5
				rates := make([][]float64, len(sizes)) // jobs a second, by size and round
				for range rounds {
					for i, s := range stores {
						rates[i] = append(rates[i], jobs(b, s, 150))
					}
				}
				for i, n := range sizes[1:] {
					row := ratio.Row{Name: fmt.Sprintf("claims a second where %d wait, where 1000 wait, %s", n, database.name), AtLeast: 0.66}
					for r := range rounds {
						row.Ratios = append(row.Ratios, rates[i+1][r]/rates[0][r])
					}
					row.Note = fmt.Sprintf("%.0f and %.0f a second in the first round", rates[i+1][0], rates[0][0])
					row.Report(b)
				}
			}
		})
	}
}

// jobs is how many steps a second eight workers take, of the next n and more.
func jobs(b *testing.B, s *db.Store, n int) float64 {
	b.Helper()
	did := make(chan time.Time, n)
	r, err := s.Queue.NewRunner(queue.Workers{Process: fmt.Sprint("p", time.Now().UnixNano()), Queues: map[string]int{"default": 8}, Workers: []queue.Worker{
		queue.NewWorker(time.Minute, func(ctx context.Context, _ queue.Row, _ stepOf) error {
			select {
			case did <- time.Now():
				return nil
			default: // enough are done
				<-ctx.Done()
				return ctx.Err()
			}
		}),
	}})
	require.NoError(b, err)
	require.NoError(b, r.Start(b.Context()))
	for len(did) < n {
		time.Sleep(time.Millisecond) //nolint:forbidigo // what is measured happens elsewhere
	}
	first, last := <-did, time.Time{}
	for range n - 1 {
		last = <-did
	}
	require.NoError(b, r.Stop(context.Background()))
	require.NoError(b, r.Leave(context.Background()))
	return float64(n-1) / last.Sub(first).Seconds()
}

// backlog is a store in which n steps of 100 accounts wait.
func backlog(b *testing.B, o db.Options, n int) *db.Store {
	b.Helper()
	s := dbtest.Open(b, o)
	raw := open(b, o)
	series, args, at := fmt.Sprintf(`generate_series(0, %d) AS n`, n-1), `jsonb_build_object('extraction', 'e' || n)`,
		`timestamptz '1970-01-01 00:00:00+00' + n / 100 * interval '10 milliseconds'`
	if goose.Dialect(o.Kind()) == goose.DialectSQLite3 {
		series = fmt.Sprintf(`(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)`, n-1)
		args, at = `jsonb(json_object('extraction', 'e' || n))`, `strftime('%Y-%m-%d %H:%M:%f', n / 100 * 0.01, 'unixepoch')`
	}
	raw.exec(b, `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at)
		SELECT `+args+`, 'step', 10000, 1, 'default', `+at+` FROM `+series)
	if goose.Dialect(o.Kind()) == goose.DialectPostgres {
		raw.exec(b, `VACUUM ANALYZE`) // as its own housekeeping does
	}
	return s
}
