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
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// pages are what a site has, by its pages.
type pages struct {
	asked int
	err   error
}

func (p *pages) ask() error { p.asked++; return p.err }

func (p *pages) Search(context.Context, video.Search, engine.Window) (l engine.Listing[video.Result], err error) {
	return l, p.ask()
}
func (p *pages) Videos(context.Context, []engine.Content) ([]video.Video, error) { return nil, p.ask() }
func (p *pages) Channel(context.Context, engine.List) (c video.Channel, err error) {
	return c, p.ask()
}

func (p *pages) Uploads(context.Context, engine.List, video.Kind, engine.Window) (l engine.Listing[video.Summary], err error) {
	return l, p.ask()
}

func (p *pages) Items(context.Context, engine.List, engine.Window) (l engine.Listing[video.Item], err error) {
	return l, p.ask()
}

// api is what a site has, by its interface for programs.
type api struct{ *pages }

func (api) ByAPI() {}

// questions are all that can be asked.
func questions(d engine.Discovery) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error { _, err := d.Search(ctx, video.Search{}, engine.Window{}); return err },
		func(ctx context.Context) error { _, err := d.Videos(ctx, make([]engine.Content, 1)); return err },
		func(ctx context.Context) error { _, err := d.Channel(ctx, engine.List{}); return err },
		func(ctx context.Context) error {
			_, err := d.Uploads(ctx, engine.List{}, video.All, engine.Window{})
			return err
		},
		func(ctx context.Context) error { _, err := d.Items(ctx, engine.List{}, engine.Window{}); return err },
	}
}

// Discovery that visits the site's pages takes the tokens of the site, for each video one,
// and is left alone where it blocks. What asks an interface for programs does not.
func TestDiscoveryKeepsThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keep, err := throttle.New(pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 2}}, nil, nil)
		require.NoError(t, err)
		by, s := &pages{}, &site{}
		e := keep.Engine(engine.Engine{Captions: []engine.CaptionSource{s}, Discovery: by})
		captions := func() error {
			_, err := e.Captions[0].Captions(t.Context(), engine.Content{Platform: transcript.VideoSite}, nil)
			return err
		}
		for i, ask := range questions(e.Discovery) {
			require.NoError(t, ask(t.Context()), i)
			require.NoError(t, captions(), i)
			asked := by.asked
			assert.Equal(t, time.Minute, waitOf(ask(t.Context())), i)
			require.ErrorIs(t, ask(t.Context()), throttle.ErrHeldBack, i)
			assert.Equal(t, asked, by.asked, i)
			time.Sleep(time.Hour) // in a bubble
		}
		_, err = e.Discovery.Videos(t.Context(), make([]engine.Content, 50))
		require.NoError(t, err, "more than there ever are tokens")
		assert.Equal(t, 49*time.Minute, waitOf(captions()))
		time.Sleep(50 * time.Minute) // in a bubble

		by.err = blocked(0)
		require.Error(t, questions(e.Discovery)[0](t.Context()))
		by.err = nil
		assert.Equal(t, 30*time.Second, waitOf(questions(e.Discovery)[4](t.Context())))
		require.ErrorIs(t, e.Discovery.(engine.Checker).Check(t.Context()), throttle.ErrOpen)
		require.NoError(t, captions(), "another source")
		time.Sleep(time.Minute) // in a bubble
		require.NoError(t, e.Discovery.(engine.Checker).Check(t.Context()))
		require.NoError(t, questions(e.Discovery)[4](t.Context()))
	})
}

func TestInterfaceForProgramsNeedsNoPace(t *testing.T) {
	t.Parallel()
	keep, err := throttle.New(pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, nil, nil)
	require.NoError(t, err)
	by := &pages{}
	e := keep.Engine(engine.Engine{Discovery: api{by}})
	for range 3 {
		for _, ask := range questions(e.Discovery) {
			require.NoError(t, ask(t.Context()))
		}
	}
	by.err = blocked(0)
	for range 2 {
		require.ErrorIs(t, questions(e.Discovery)[0](t.Context()), transcript.IPBlocked)
	}
	assert.Equal(t, 17, by.asked)
}
