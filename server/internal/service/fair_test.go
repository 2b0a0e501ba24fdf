package service_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Five jobs come into line one after the other, while another account asks the same platform for
// something new once a token, or twenty times a token. Once a job stands in line, the platform is
// visited for at most two readers more than for jobs until it is the job's turn.
func TestReadersHoldUpNoJob(t *testing.T) {
	t.Parallel()
	const jobs, token = 5, time.Second
	for _, every := range []time.Duration{token, token / 20} {
		t.Run(every.String(), func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				site := &visitedSite{platforms: newPlatforms(t, manual("en"))}
				b := startLinks(t, dbtest.Open(t, o), &script{}, site.platforms, func(c *service.Config) {
					c.Engine.Captions = []engine.CaptionSource{site}
					c.Pace = pace.Config{Rate: pace.Rate{PerMinute: 60, Burst: 2}}
				})
				b.readsOn(t, every)

				lined := make([]int, jobs) // visits before the job stood in line
				var waiting sync.WaitGroup
				for i := range lined {
					out, err := b.Submit(t.Context(), link(fmt.Sprint("job-", i), "en"))
					require.NoError(t, err)
					require.Eventually(t, func() bool { return len(b.stages(t, out.Job.JobID)) > 1 }, time.Minute, 10*time.Millisecond, "it does not come into line")
					lined[i] = len(site.visits())
					waiting.Go(func() {
						job, err := b.Jobs.Wait(t.Context(), acme, out.Job.JobID, nil)
						if assert.NoError(t, err) {
							assert.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
						}
					})
				}
				waiting.Wait()
				for i, before := range lined {
					reads, others := visitsBefore(site.visits()[before:], fmt.Sprint("job-", i))
					assert.LessOrEqual(t, reads, others+2, "readers before job %d, which came into line behind %d visits, of %v", i, before, site.visits())
				}
			})
		})
	}
}

// visitsBefore counts the visits of readers, and of other jobs, before the visit of a job. A job whose
// visit came before it was seen in line has none.
func visitsBefore(visits []string, job string) (reads, jobs int) {
	at := slices.Index(visits, job)
	for _, id := range visits[:max(at, 0)] {
		if strings.HasPrefix(id, "read-") {
			reads++
		} else {
			jobs++
		}
	}
	return reads, jobs
}

// readsOn has another account ask for something new again and again, until the test ends.
// It returns when the tokens are gone. A question may be refused.
func (b *bench) readsOn(t *testing.T, every time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	t.Cleanup(reading.Wait)
	t.Cleanup(cancel)
	read := make(chan struct{})
	reading.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			q := question("en")
			q.Account, q.Content.ExternalID = "reader", fmt.Sprint("read-", n)
			reading.Go(func() { _, _ = b.Ask.Captions(ctx, q) }) // the pace decides
			if n == 3 {
				close(read)
			}
			select {
			case <-ctx.Done():
			case <-time.After(every):
			}
		}
	})
	<-read
}

// visitedSite notes what is asked of it.
type visitedSite struct {
	*platforms

	mu  sync.Mutex
	ids []string
}

func (s *visitedSite) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	s.mu.Lock()
	s.ids = append(s.ids, c.ExternalID)
	s.mu.Unlock()
	return s.platforms.Captions(ctx, c, pick)
}

// visits are the ids in the order in which they were asked for.
func (s *visitedSite) visits() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}
