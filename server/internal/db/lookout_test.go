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

// stepOf is a step of an extraction.
type stepOf struct {
	Extraction string `json:"extraction"`
}

func (stepOf) Kind() string  { return "step" }
func (stepOf) Queue() string { return "default" }

// TestBatchesGoOnAtOnce: of two workers one is kept from batches, and the other takes up
// the next run when one ends. It was a second later for each.
func TestBatchesGoOnAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const runs = 20
		for range runs {
			e, _ := extraction(t, s, "acme")
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, stepOf{e.ID})) })
		}
		did := make(chan string, runs)
		began := time.Now()
		runner(t, s, db.Workers{Process: "p", Queues: map[string]int{"default": 2},
			Workers: []db.Worker{db.NewWorker(time.Minute, func(_ context.Context, _ db.Work, step stepOf) error {
				did <- step.Extraction
				return nil
			})}})
		for range runs {
			receive(t, did)
		}
		assert.Less(t, time.Since(began), runs/2*time.Second, "it waited for polls")
	})
}
