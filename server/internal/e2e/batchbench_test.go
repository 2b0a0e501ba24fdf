package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// mostOfNothing is how much processor time a batch may take, as a multiple of as many
// jobs of the queue that do nothing.
const mostOfNothing = 10

// nothing is a step that does nothing.
type nothing struct {
	Work string `json:"extraction"`
}

func (nothing) Kind() string  { return "nothing" }
func (nothing) Queue() string { return "captions" }

// BenchmarkBatch compares a batch of 500 links with captions of 50 segments, on SQLite,
// with 500 jobs that do nothing in a queue of the same set-up. The two take turns in one
// run; processor time counts, of the whole process.
func BenchmarkBatch(b *testing.B) {
	if !ratio.Wanted("CPU of a batch") {
		return
	}
	s := startService(b, func(c *server.Config) {
		c.Pace = pace.Config{Rate: pace.Unlimited()}
		c.Engine = func(engine.Host) (engine.Engine, error) {
			return engine.Engine{Captions: []engine.CaptionSource{reader{}}}, nil
		}
	})
	idle := startIdle(b)
	round := 0
	whole := func() float64 {
		round++
		began := processorTime(b)
		s.takeBatch(b, round)
		return float64(processorTime(b) - began)
	}
	empty := func() float64 {
		began := processorTime(b)
		idle.run(b, batchSize)
		return float64(processorTime(b) - began)
	}
	whole()
	empty()
	for b.Loop() {
		const rounds = 7
		var batches, nothings []float64
		for range rounds {
			batches, nothings = append(batches, whole()), append(nothings, empty())
		}
		took, base := median(batches), median(nothings)
		row := ratio.Row{Name: "CPU of a batch of 500 links, of as many empty jobs", AtMost: mostOfNothing}
		for i := range batches {
			row.Ratios = append(row.Ratios, batches[i]/nothings[i])
		}
		row.Report(b)
		b.Logf("a batch of %d: %v of processor time, %v an item; jobs that do nothing: %v (%.2f times)", batchSize,
			time.Duration(took), time.Duration(took/batchSize), time.Duration(base), took/base)
	}
}

// BenchmarkBatchThroughput takes batches of 500 links with captions of 50 segments through one
// service, and through two on one PostgreSQL. Its rows say how many
// transactions of one row a single client commits in the same database in the time of an item. The
// rows have no goal: they depend on the disk as much as on the service.
func BenchmarkBatchThroughput(b *testing.B) {
	for _, c := range []struct {
		name     string
		options  func(testing.TB) store.Options
		services int
	}{
		{"SQLite", storetest.SQLite, 1},
		{"PostgreSQL", storetest.Postgres, 1},
		{"PostgreSQL, two services", storetest.Postgres, 2},
	} {
		name := "commits of one row, in the time of an item of a batch, " + c.name
		if !ratio.Wanted(name) {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			s, st := startServices(b, c.options(b), c.services, reader{})
			s.takeBatch(b, 0)
			round := 0
			for b.Loop() {
				row := ratio.Row{Name: name}
				var rates []float64
				for range 5 {
					round++
					began := time.Now()
					s.takeBatch(b, round)
					rates = append(rates, batchSize/time.Since(began).Seconds())
					row.Ratios = append(row.Ratios, commitRate(b, st)/rates[len(rates)-1])
				}
				row.Note = fmt.Sprintf("%.0f items a second", median(rates))
				row.Report(b)
			}
		})
	}
}

// startServices starts services that share a database and read captions from the source. It returns
// the first service with its store.
func startServices(b *testing.B, o store.Options, n int, source engine.CaptionSource) (first *service, st *db.Store) {
	b.Helper()
	for range n {
		opened := storetest.Open(b, o)
		s := startService(b, func(c *server.Config) {
			c.Store = opened
			c.Pace = pace.Config{Rate: pace.Unlimited()}
			c.Engine = func(engine.Host) (engine.Engine, error) {
				return engine.Engine{Captions: []engine.CaptionSource{source}}, nil
			}
		})
		if first == nil {
			first, st = s, db.Of(opened)
			var err error
			first.Client, err = client.New(s.url, client.WithAPIKey(makeKey(b, opened)))
			require.NoError(b, err)
		}
	}
	return first, st
}

// commitRate is how many transactions that change one row are committed in a second, one after
// the other.
func commitRate(b *testing.B, st *db.Store) float64 {
	b.Helper()
	began := time.Now()
	for range batchSize {
		require.NoError(b, st.InTx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Allowances.Pay(ctx, "commits", db.Limits{Transcripts: -1, ASRMinutes: -1}, db.Allowance{Transcripts: 1})
			return err
		}))
	}
	return batchSize / time.Since(began).Seconds()
}

// takeBatch makes a batch and waits for its end.
func (s *service) takeBatch(b *testing.B, round int) {
	b.Helper()
	made, err := s.Batches.Create(b.Context(), client.BatchParams{URLs: batchLinks(round, batchSize), Language: []string{"en"}})
	require.NoError(b, err)
	job, err := s.Batches.Wait(b.Context(), made.ID)
	require.NoError(b, err)
	require.Equal(b, batch.Counts{Total: batchSize, Success: batchSize}, job.Counts)
}

// idle is a queue whose jobs do nothing.
type idle struct {
	store *db.Store
	done  *sync.WaitGroup
}

func startIdle(b *testing.B) idle {
	b.Helper()
	i := idle{db.Of(storetest.Open(b, storetest.SQLite(b))), new(sync.WaitGroup)}
	release, err := i.store.Serve(b.Context())
	require.NoError(b, err)
	runner, err := i.store.Queue.NewRunner(queue.Workers{
		Process: "idle",
		Workers: []queue.Worker{queue.NewWorker(time.Minute, func(context.Context, queue.Row, nothing) error {
			i.done.Done()
			return nil
		})},
		Queues: map[string]int{"captions": 4},
	})
	require.NoError(b, err)
	require.NoError(b, runner.Start(b.Context()))
	ctx, cancel := context.WithCancel(b.Context())
	var beating sync.WaitGroup
	beating.Go(func() {
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if runner.Beat(ctx) != nil {
					return
				}
			}
		}
	})
	b.Cleanup(func() {
		cancel()
		beating.Wait()
		require.NoError(b, runner.Stop(context.Background()))
		require.NoError(b, release())
	})
	return i
}

// run queues so many jobs, each in a transaction of its own, and waits for their end.
func (i idle) run(b *testing.B, n int) {
	b.Helper()
	i.done.Add(n)
	for k := range n {
		require.NoError(b, i.store.InTx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
			return tx.Queue.Enqueue(ctx, nothing{fmt.Sprint(k)})
		}))
	}
	i.done.Wait()
}
