package pipeline_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Five jobs are done, each within the time of two tokens for its place, while another
// account asks the same platform for something new every 2 s, or every 100 ms.
func TestReadersHoldUpNoJob(t *testing.T) {
	t.Parallel()
	const token = 2 * time.Second
	for _, every := range []time.Duration{2 * time.Second, 100 * time.Millisecond} {
		t.Run(every.String(), func(t *testing.T) {
			t.Parallel()
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, newPlatforms(t, manual("en")), func(c *pipeline.Config) {
				c.Pace = pace.Config{Rate: pace.Rate{PerMinute: 30, Burst: 2}}
			})
			ctx, cancel := context.WithCancel(t.Context())
			var reading sync.WaitGroup
			defer reading.Wait()
			defer cancel()
			read := make(chan struct{})
			reading.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					reading.Go(func() { b.asks(ctx, fmt.Sprint("read-", n)) })
					if n == 3 {
						close(read) // the tokens are gone
					}
					select {
					case <-ctx.Done():
					case <-time.After(every):
					}
				}
			})
			<-read
			began := time.Now()
			within, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			ids := make([]string, 5)
			for i := range ids {
				out, err := b.Submit(t.Context(), link(fmt.Sprint("job-", i), "en"))
				require.NoError(t, err)
				ids[i] = out.Job.JobID
			}
			for i, id := range ids {
				job, err := b.Wait(within, acme, id, nil)
				require.NoError(t, err)
				require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
				t.Logf("job %d after %v", i+1, time.Since(began).Round(time.Millisecond))
			}
			const queue = 10 * time.Second // may look at what is due every five seconds
			assert.Less(t, time.Since(began), 5*2*token+queue)
		})
	}
}

// asks is a reader's question, of another account. It may be refused.
func (b *bench) asks(ctx context.Context, id string) {
	q := question("en")
	q.Account, q.Content.ExternalID = "reader", id
	_, _ = b.Captions(ctx, q) // the pace decides
}
