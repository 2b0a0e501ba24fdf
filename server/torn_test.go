package server_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestBatchAnswersAgreeWithThemselves reads batches while their items end: the counts of
// each answer are those of the items beside them.
func TestBatchAnswersAgreeWithThemselves(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) { readWhileWorking(t, o, 1, 1, 1) })
}

// TestSoakTornReads is the same with more to read.
func TestSoakTornReads(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	storetest.Each(t, func(t *testing.T, o store.Options) { readWhileWorking(t, o, 4, 3, 2000) })
}

// readWhileWorking has some batches of 60 at a time read by some readers, again and again
// until there are so many answers.
func readWhileWorking(t *testing.T, o store.Options, batches, readers int, answers int64) {
	s := startIn(t, o, t.TempDir())
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "from the captions"})
	const items = 60
	var read atomic.Int64
	for round := 0; read.Load() < answers; round++ {
		var ids []string
		for i := range batches {
			ids = append(ids, s.newBatch(t, videos((round*batches+i)*items, items)))
		}
		var reading sync.WaitGroup
		for range readers {
			reading.Go(func() {
				for left := ids; len(left) > 0; {
					var open []string
					for _, id := range left {
						p := s.batchPage(t, id, "?maxResults=500")
						read.Add(1)
						assert.Empty(t, contradiction(p))
						if !p.Batch.Status.Terminal() {
							open = append(open, id)
						}
					}
					left = open
				}
			})
		}
		reading.Wait()
		require.False(t, t.Failed())
	}
	t.Logf("%d answers", read.Load())
}

// contradiction tells in what an answer with all items of a batch contradicts itself; "":
// in nothing.
func contradiction(p batchPage) string {
	n := batch.Counts{Total: len(p.Items)}
	for _, item := range p.Items {
		switch item.Status {
		case batch.ItemPending, batch.ItemProcessing:
			n.Pending++
		case batch.ItemSuccess:
			n.Success++
		case batch.ItemFailed:
			n.Failed++
		}
	}
	if n != p.Batch.Counts || p.Batch.Done != n.Total-n.Pending || p.Batch.Status.Terminal() && n.Pending > 0 {
		return fmt.Sprintf("%s with %+v, done %d, beside items %+v", p.Batch.Status, p.Batch.Counts, p.Batch.Done, n)
	}
	return ""
}
