package servertest_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The service's database is restarted under clients that submit, read and wait.
// None of them learns of it.
func TestServiceWhoseDatabaseIsRestarted(t *testing.T) {
	t.Parallel()
	database, o := storetest.OwnServer(t)
	s := servertest.New(t, servertest.ConfigureStore(func(c *store.Options) { *c = o }))
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	_, job, err := c.Transcripts.Submit(t.Context(), atOnce((&media{content: []byte("first")}).source(-1)))
	require.NoError(t, err)

	ended := make(chan struct{})
	var clients sync.WaitGroup
	repeatedly := func(call func(n int) error) {
		clients.Go(func() {
			for n := 0; ; n++ {
				assert.NoError(t, call(n))
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	repeatedly(func(int) error {
		_, err := c.Jobs.Get(t.Context(), job.JobID)
		return err
	})
	repeatedly(func(n int) error {
		_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: (&media{content: []byte{byte(n), byte(n >> 8)}}).source(2)})
		return err
	})
	for range 2 {
		database.Stop()
		database.Start()
	}
	close(ended)
	clients.Wait()
}
