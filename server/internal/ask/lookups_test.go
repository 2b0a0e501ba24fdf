package ask_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// inTx runs fn in a transaction that must succeed.
func inTx(t *testing.T, s *db.Store, fn func(ctx context.Context, tx *db.Tx)) {
	t.Helper()
	require.NoError(t, s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
		fn(ctx, tx)
		return nil
	}))
}

// put puts a question.
func put(t *testing.T, s *db.Store, id string) (l *ask.Lookup, asked bool) {
	t.Helper()
	l = &ask.Lookup{Platform: transcript.VideoSite, ExternalID: id, Languages: "en", SourceURL: "https://video.example/" + id}
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		var err error
		asked, err = ask.Lookups{Tx: tx}.Put(ctx, l, time.Minute)
		require.NoError(t, err)
	})
	return l, asked
}

func TestLookups(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		first, asked := put(t, s, "v1")
		require.True(t, asked)
		again, asked := put(t, s, "v1")
		require.False(t, asked, "an equal question was asked twice")
		assert.Equal(t, first.ID, again.ID)
		_, asked = put(t, s, "v2")
		require.True(t, asked)

		wake, stop := s.Watch(first.ID)
		defer stop()
		answer := func(a ask.Answered, last bool) {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				require.NoError(t, ask.Lookups{Tx: tx}.Answer(ctx, first.ID, a, last))
			})
			<-wake
		}
		slow := transcript.Errorf(transcript.IPBlocked, "Wait.").With("why", "many").Because(context.Canceled)
		slow.RetryAfter = 30
		answer(ask.Answered{Tracks: []transcript.Track{{ID: "en", Lang: "en"}}, Error: slow}, false)
		l, err := ask.LookupByID(t.Context(), s.Reader, first.ID)
		require.NoError(t, err)
		assert.Nil(t, l.EndedAt)
		assert.Equal(t, 30, l.Answer.Error.RetryAfter)
		assert.Equal(t, map[string]any{"why": "many"}, l.Answer.Error.Details)
		assert.NoError(t, l.Answer.Error.Err, "a cause is for the log of who has it")
		assert.Len(t, l.Answer.Tracks, 1)

		answer(ask.Answered{Metadata: transcript.Metadata{Title: "A\x00 talk"}, TranscriptID: "t1"}, true)
		answer(ask.Answered{Metadata: transcript.Metadata{Title: "late"}}, true)
		l, err = ask.LookupByID(t.Context(), s.Reader, first.ID)
		require.NoError(t, err)
		assert.NotNil(t, l.EndedAt)
		assert.Equal(t, ask.Answered{Metadata: transcript.Metadata{Title: "A talk"}, TranscriptID: "t1"}, *l.Answer)

		anew, asked := put(t, s, "v1")
		require.True(t, asked, "a question that has its answer may be asked again")
		assert.NotEqual(t, first.ID, anew.ID)
	})
}

func TestOldLookupsAreSwept(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		young, _ := put(t, s, "young")
		old := &ask.Lookup{Platform: transcript.VideoSite, ExternalID: "old", AskedAt: time.Now().Add(-2 * time.Hour)}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			_, err := ask.Lookups{Tx: tx}.Put(ctx, old, time.Minute)
			require.NoError(t, err)
		})
		require.NoError(t, dbtest.Sweep(t.Context(), s, 365*24*time.Hour, time.Hour))
		_, err := ask.LookupByID(t.Context(), s.Reader, young.ID)
		require.NoError(t, err)
		_, err = ask.LookupByID(t.Context(), s.Reader, old.ID)
		require.ErrorIs(t, err, db.ErrNotFound)
	})
}

// TestOverdueLookupsAreNotJoined: the readers of one that nobody has answered in time have
// gone, and the next would wait as long in vain.
func TestOverdueLookupsAreNotJoined(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		old := &ask.Lookup{Platform: transcript.VideoSite, ExternalID: "v1", Languages: "en", AskedAt: time.Now().Add(-2 * time.Minute)}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			_, err := ask.Lookups{Tx: tx}.Put(ctx, old, time.Minute)
			require.NoError(t, err)
		})
		young, asked := put(t, s, "v1")
		require.True(t, asked, "it is asked again")
		assert.NotEqual(t, old.ID, young.ID)
		ended, err := ask.LookupByID(t.Context(), s.Reader, old.ID)
		require.NoError(t, err)
		assert.NotNil(t, ended.EndedAt)
		again, asked := put(t, s, "v1")
		assert.False(t, asked)
		assert.Equal(t, young.ID, again.ID)
	})
}
