package throttle_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listSite is a site that is a source of lists too.
type listSite struct{ *site }

func (listSite) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

func (s listSite) List(ctx context.Context, _ engine.List, _, _ int) (engine.ListPage, error) {
	return engine.ListPage{Title: "A list"}, s.visit(ctx, engine.AudioOptions{})
}

// A list is read by the tokens of its platform, and one that blocks is left alone, which
// says nothing of captions.
func TestListsKeepThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{}
		keep, err := throttle.New(pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 2}}, nil, nil)
		require.NoError(t, err)
		e := keep.Engine(engine.Engine{Captions: []engine.CaptionSource{s}, Lists: listSite{s}})
		assert.True(t, e.Lists.Lists(transcript.VideoSite))
		list := func() error {
			page, err := e.Lists.List(t.Context(), engine.List{Platform: transcript.VideoSite}, 0, 10)
			if err == nil {
				assert.Equal(t, "A list", page.Title)
			}
			return err
		}
		captions := func() error {
			_, err := e.Captions[0].Captions(t.Context(), engine.Content{Platform: transcript.VideoSite}, nil)
			return err
		}
		require.NoError(t, list())
		require.NoError(t, captions())
		require.ErrorIs(t, list(), throttle.ErrHeldBack, "captions have taken the last token")
		time.Sleep(10 * time.Minute) // in a bubble

		s.answer = func(int) error { return transcript.Errorf(transcript.IPBlocked, "It blocks.") }
		require.ErrorIs(t, list(), transcript.IPBlocked)
		s.answer = nil
		visited := s.visited()
		require.ErrorIs(t, list(), throttle.ErrHeldBack)
		assert.Equal(t, visited, s.visited())
		require.NoError(t, captions(), "another source")
		time.Sleep(10 * time.Minute) // in a bubble
		assert.NoError(t, list())
	})
}
