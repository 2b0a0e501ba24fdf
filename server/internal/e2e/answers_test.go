package e2e_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

// TestLostAnswer cuts the connection while the answer is under way that gives a
// process its work: to the database the process does it, and the process has
// never heard of it.
func TestLostAnswer(t *testing.T) {
	full(t)
	t.Parallel()
	o := storetest.Postgres(t)
	w := newWire(t, o.Database)
	s := newPlace(t, o.Database)
	key := s.makeKey(t)
	worker := s.through(w).spawn(t, "127.0.0.1:0")
	c := newClient(t, s.reception(t), key)

	lost := w.lose([]byte("prepare"))
	job := submit(t, c, bursts(t, 10*time.Second))
	select {
	case <-lost:
	case <-time.After(time.Minute):
		require.Fail(t, "the work was not given out")
	}

	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cut := time.Now()
	_, err := c.Jobs.Wait(ctx, job.JobID)
	require.NoError(t, err, "the job never runs again")
	t.Logf("the job ended %v after the answer was lost", time.Since(cut).Round(100*time.Millisecond))
	worker.mustLive(t)
}

// reception is a service that accepts requests and does no work.
func (s place) reception(t *testing.T) (url string) {
	t.Helper()
	srv, err := server.New(t.Context(), server.Config{
		Store: s.open(t),
		Dir:   t.TempDir(),
		Engine: func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: diarist{s.diary}}, nil
		},
	})
	require.NoError(t, err)
	web := httptest.NewServer(srv.HTTPServer("").Handler)
	t.Cleanup(func() {
		web.Close()
		assert.NoError(t, srv.Stop(context.Background()))
	})
	return web.URL
}

// through is the place as it is seen from the other end of a wire.
func (s place) through(w *wire) place {
	s.database = w.database
	return s
}
