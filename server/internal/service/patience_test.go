package service_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The larger a text is, the longer the database may take to store it. While nothing can be
// written, a short text is refused in the usual time; long ones still wait then, and are
// stored.
func TestLongTextHasLonger(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, site := dbtest.Open(t, o), newPlatforms(t, manual("en"))
		site.segments = longText(20_000)
		b := prepareLinks(t, s, site, func(c *service.Config) { c.LookupBudget = time.Minute })
		put := func(id string, segments int) error {
			_, err := b.Library.Put(t.Context(), acme, transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: id, Lang: "en",
				Source: transcript.OriginManual, Status: transcript.Ready, Segments: longText(segments),
			})
			return err
		}
		var released atomic.Bool
		long := map[string]func() error{
			"put in": func() error { return put("long", 20_000) },
			"read for a reader": func() error {
				_, err := b.Ask.Captions(t.Context(), question("en"))
				for errors.Is(err, db.ErrUnavailable) && released.Load() { // it paid behind the other long ones, and paying is short
					_, err = b.Ask.Captions(t.Context(), question("en"))
				}
				return err
			},
			"a batch": func() error {
				entries := make([]batcher.Entry, 500)
				for i := range entries {
					entries[i] = b.Batches.EntryOf(fmt.Sprintf("vid%08d", i))
				}
				_, err := b.Batches.Create(t.Context(), batchOf(entries...))
				return err
			},
		}
		release := holdWrites(t, s, o)
		done := make(chan error, len(long))
		for name, store := range long {
			go func() {
				err := store()
				if err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
				done <- err
			}()
		}
		began := time.Now()
		require.ErrorIs(t, put("short", 1), db.ErrUnavailable)
		assert.Less(t, time.Since(began), time.Minute/2, "the long ones wait for a minute")
		require.Never(t, func() bool { return len(done) > 0 }, 1500*time.Millisecond, 50*time.Millisecond, "a long one has given up")
		released.Store(true)
		release()
		for range long {
			assert.NoError(t, <-done)
		}
	})
}

func longText(segments int) []transcript.Segment {
	text := make([]transcript.Segment, segments)
	for i := range text {
		text[i] = transcript.Segment{Text: fmt.Sprint("These are the words of a segment, which has the number ", i, " of many."), Start: float64(i), Duration: 1}
	}
	return text
}

// holdWrites lets nobody write texts and batches: another program holds the tables, or,
// with SQLite, a long transaction the only writer.
func holdWrites(t *testing.T, s *db.Store, o db.Options) (release func()) {
	t.Helper()
	if s.Shared() {
		other, err := storetest.SQL(t, store.Options(o)).BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = other.ExecContext(t.Context(), "LOCK TABLE texts, batches IN SHARE MODE")
		require.NoError(t, err)
		return func() { require.NoError(t, other.Rollback()) }
	}
	held, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.InTx(db.Unhurried(t.Context()), func(context.Context, *db.Tx) error {
			close(held)
			<-end
			return nil
		})
	}()
	<-held
	return func() {
		close(end)
		require.NoError(t, <-ended)
	}
}
