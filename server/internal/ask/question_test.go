package ask_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const patience = 10 * time.Second

// videoSite answers a search after a delay, unless the search is canceled.
type videoSite struct {
	engine.Discovery

	delay    time.Duration
	asked    atomic.Int32
	canceled atomic.Int32
}

func (v *videoSite) Search(ctx context.Context, _ video.Search, _ engine.Window) (l engine.Listing[video.Result], err error) {
	v.asked.Add(1)
	select {
	case <-time.After(v.delay):
		return l, nil
	case <-ctx.Done():
		v.canceled.Add(1)
		return l, context.Cause(ctx)
	}
}

// service answers questions by the site alone. It has no database.
func service(v *videoSite) *ask.Service {
	log := slog.New(slog.DiscardHandler)
	e := engine.Engine{Discovery: v}
	return ask.New(ask.Config{
		Engine: e, Cluster: cluster.New(cluster.Config{Self: cluster.AbilitiesOf(e), Log: log}), Sites: site.Default(),
		Log: log, Metrics: metrics.New("test"), LookupBudget: patience, DiscoveryBudget: patience,
	}, ask.NewSources(nil, log, metrics.New("test")))
}

func search(ctx context.Context, s *ask.Service, text string) error {
	_, err := s.Search(ctx, video.Search{Q: text}, engine.Window{Max: 1})
	return err
}

func TestEqualQuestionsAreAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &videoSite{delay: time.Second}
		s := service(v)
		errs := make(chan error, 10)
		for range cap(errs) {
			go func() { errs <- search(t.Context(), s, "talk") }()
		}
		for range cap(errs) {
			require.NoError(t, <-errs)
		}
		assert.EqualValues(t, 1, v.asked.Load())
		require.NoError(t, search(t.Context(), s, "talk"))
		assert.EqualValues(t, 2, v.asked.Load(), "an answer of discovery is not kept")
		require.NoError(t, s.Stop(t.Context()))
	})
}

func TestQuestionEndsWithItsLastReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &videoSite{delay: time.Hour}
		s := service(v)
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		for _, reader := range []context.Context{first, second} {
			go func() { errs <- search(reader, s, "talk") }()
		}
		synctest.Wait()
		leaveFirst()
		require.ErrorIs(t, <-errs, context.Canceled)
		synctest.Wait()
		assert.Zero(t, v.canceled.Load(), "the second reader still waits")
		leaveSecond()
		require.ErrorIs(t, <-errs, context.Canceled)
		synctest.Wait()
		assert.EqualValues(t, 1, v.canceled.Load())
		require.NoError(t, s.Stop(t.Context()))
	})
}

func TestReaderWaitsForItsOwnPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &videoSite{delay: patience + patience/2}
		s := service(v)
		early := make(chan error, 1)
		go func() { early <- search(t.Context(), s, "talk") }()
		time.Sleep(patience - time.Second) //nolint:forbidigo // of the bubble's clock
		late := make(chan error, 1)
		go func() { late <- search(t.Context(), s, "talk") }()
		require.ErrorIs(t, <-early, transcript.UpstreamFailed)
		require.NoError(t, <-late, "a reader who joins late has the time for the answer")
		assert.EqualValues(t, 1, v.asked.Load())

		v.delay = 3 * patience
		go func() { early <- search(t.Context(), s, "other") }()
		time.Sleep(patience) //nolint:forbidigo // of the bubble's clock
		go func() { late <- search(t.Context(), s, "other") }()
		require.ErrorIs(t, <-early, transcript.UpstreamFailed)
		synctest.Wait()
		assert.EqualValues(t, 3, v.asked.Load(), "a question is asked again after the patience of its first reader")
		require.ErrorIs(t, <-late, transcript.UpstreamFailed)
		require.NoError(t, s.Stop(t.Context()))
	})
}

func TestQuestionsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &videoSite{delay: 4 * patience}
		s := service(v)
		errs := make(chan error, ask.Workers)
		for i := range cap(errs) {
			reader, leave := context.WithTimeout(t.Context(), 2*patience)
			defer leave()
			go func() { errs <- search(reader, s, fmt.Sprint("talk ", i)) }()
		}
		synctest.Wait()
		assert.EqualValues(t, ask.Workers, v.asked.Load())
		hold, leave := context.WithCancel(t.Context())
		defer leave()
		for i := range cap(errs) { // equal questions, asked later: the slots stay taken
			time.AfterFunc(patience/2, func() { _ = search(hold, s, fmt.Sprint("talk ", i)) }) // the slot is all that counts
		}
		err := search(t.Context(), s, "other")
		require.ErrorIs(t, err, transcript.ServiceUnavailable, "the platform was not asked, so it is not to blame")
		assert.EqualValues(t, ask.Workers, v.asked.Load())
		for range cap(errs) {
			require.ErrorIs(t, <-errs, transcript.UpstreamFailed)
		}
		leave()
		require.NoError(t, s.Stop(t.Context()))
	})
}
