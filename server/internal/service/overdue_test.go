package service_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// briefly is the time of a reader whom the platform keeps waiting. A busy machine can begin
// the question in this time, too.
const briefly = 2 * time.Second

// TestOverdueQuestionIsAskedAgain: a platform hangs over the first question, and answers
// the second. Who comes when the time of the first reader is up does not wait for the
// first.
func TestOverdueQuestionIsAskedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var left atomic.Int64 // nanoseconds that the first question may take
	release := make(chan struct{})
	hang := func(ctx context.Context, id string) (engine.Captions, error) {
		if asked.Add(1) > 1 {
			return captioned(id), nil
		}
		deadline, bounded := ctx.Deadline()
		assert.True(t, bounded)
		left.Store(int64(time.Until(deadline)))
		<-release
		return engine.Captions{}, context.Canceled
	}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, reads(hang), func(c *service.Config) { c.LookupBudget = briefly })
	t.Cleanup(func() { close(release) }) // before the pipeline stops
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	require.ErrorIs(t, r.Failure, transcript.UpstreamFailed)
	require.Eventually(t, func() bool {
		r, err = b.Ask.Captions(t.Context(), question("en"))
		return err == nil && r.Failure == nil
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, "success", r.Status)
	assert.Less(t, time.Duration(left.Load()), time.Minute, "a question gives up its place soon after its readers have gone")
}

// TestOverdueQuestionEndsDuringTheNext: a platform hangs over the same question twice. The
// first one ends while the second is under way: the reader of the second still hears that
// the platform is slow, and not that nobody has asked it.
func TestOverdueQuestionEndsDuringTheNext(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	first, second := make(chan struct{}), make(chan struct{})
	hang := func(context.Context, string) (engine.Captions, error) {
		if asked.Add(1) == 1 {
			<-first
		} else {
			close(first)
			<-second
		}
		return engine.Captions{}, context.Canceled
	}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, reads(hang), func(c *service.Config) { c.LookupBudget = briefly })
	t.Cleanup(func() { close(second) }) // before the pipeline stops
	for asked.Load() < 2 {
		r, err := b.Ask.Captions(t.Context(), question("en"))
		require.NoError(t, err)
		require.ErrorIs(t, r.Failure, transcript.UpstreamFailed)
	}
}
