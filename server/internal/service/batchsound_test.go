package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// moods is an engine of which each content has a mood, which its id tells.
type moods struct {
	script
	sound []byte
}

func (*moods) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

func (*moods) Captions(_ context.Context, c engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	answer := captioned(c.ExternalID)
	switch mood(c.ExternalID) {
	case 0, 1: // there is only sound
		answer.Track, answer.Tracks, answer.Segments = nil, nil, nil
	case 2:
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "It is gone.")
	case 3:
		if rand.N(2) == 0 {
			return engine.Captions{}, transcript.Errorf(transcript.UpstreamFailed, "It passes.")
		}
	}
	return answer, nil
}

func mood(id string) int { return int(id[len(id)-1]-'0') % 10 }

func (m *moods) Audio(_ context.Context, _ engine.Content, dir string, _ engine.AudioOptions) (string, error) {
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, m.sound, 0o600)
}

// What a batch shares with others, and stands in line to be recognized already, holds up
// none of its other items.
func TestSharedSoundHoldsUpNoItem(t *testing.T) {
	t.Parallel()
	const many = 70 // more than are taken up at a time
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		m := &moods{sound: recording(t, 1, 1)}
		m.recognize = func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			<-ctx.Done()
			return engine.Recognition{}, context.Cause(ctx)
		}
		b := start(t, s, &m.script, func(c *service.Config) { c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{m}, m })
		narrow := plan()
		narrow.ASRConcurrency, narrow.ASRWaiting = 1, 0
		var entries []batcher.Entry
		for i := range many {
			id := fmt.Sprintf("talk-%02d0", i)
			single := link(id, "en")
			single.Account, single.Plan = "other", narrow
			_, err := b.Submit(t.Context(), single)
			require.NoError(t, err)
			entries = append(entries, entry(id))
		}
		require.Eventually(t, func() bool { // all but one stand outside
			n := 0
			require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				n = 0
				rows, err := tx.Library.All(ctx, "other")
				for _, row := range rows {
					job, err := tx.Jobs.Owned(ctx, "other", row.JobID)
					if err != nil {
						return err
					}
					place, err := tx.Places.ByWork(ctx, job.WorkID)
					if err != nil {
						return err
					}
					if place != (db.Place{}) {
						n++
					}
				}
				return err
			}))
			return n == many
		}, time.Minute, 200*time.Millisecond)

		request := batchOf(append(entries, entry("talk-999"))...)
		request.Plan = narrow
		made, err := b.Batches.Create(t.Context(), request)
		require.NoError(t, err)
		assert.Eventually(t, func() bool {
			return b.items(t, acme, made.ID, 100)[many].Status == batch.ItemSuccess
		}, time.Minute, 20*time.Millisecond)
	})
}
