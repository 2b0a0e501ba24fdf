package throttle_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// site is a source of captions and sound. It answers as a test says, and notes
// when it was visited.
type site struct {
	mu     sync.Mutex
	visits []time.Time
	answer func(visit int) error
	during func(ctx context.Context, o engine.AudioOptions) // a visit; nil: it takes no time
}

func (s *site) visit(ctx context.Context, o engine.AudioOptions) error {
	s.mu.Lock()
	s.visits = append(s.visits, time.Now())
	n, answer, during := len(s.visits), s.answer, s.during
	s.mu.Unlock()
	if during != nil {
		during(ctx, o)
	}
	if answer == nil {
		return nil
	}
	return answer(n)
}

func (s *site) visited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.visits)
}

func (s *site) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, language.HasCaptions(p)
}

func (s *site) Captions(ctx context.Context, _ engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return engine.Captions{Metadata: transcript.Metadata{Title: "A talk"}}, s.visit(ctx, engine.AudioOptions{})
}

func (s *site) Audio(ctx context.Context, _ engine.Content, _ string, o engine.AudioOptions) (string, error) {
	return "sound", s.visit(ctx, o)
}

// paced is an engine of sites that keeps a pace.
type paced struct {
	*throttle.Throttle
	engine.Engine
}

func keep(t *testing.T, c pace.Config, sites ...*site) paced {
	t.Helper()
	p, err := throttle.New(c, nil, nil)
	require.NoError(t, err)
	e := engine.Engine{Audio: sites[0]}
	for _, s := range sites {
		e.Captions = append(e.Captions, s)
	}
	return paced{p, p.Engine(e)}
}

// read asks the first source for captions of the video site.
func (p paced) read(ctx context.Context) error { return p.readFrom(ctx, 0, transcript.VideoSite) }

func (p paced) readFrom(ctx context.Context, source int, on transcript.Platform) error {
	_, err := p.Captions[source].Captions(ctx, engine.Content{Platform: on}, nil)
	return err
}

func (p paced) download(ctx context.Context) error {
	_, err := p.Audio.Audio(ctx, engine.Content{Platform: transcript.VideoSite}, "", engine.AudioOptions{})
	return err
}

// blocked is IP_BLOCKED with what the platform asks for, in seconds.
func blocked(seconds int) error {
	e := transcript.Errorf(transcript.IPBlocked, "Prove that you are a person.")
	e.RetryAfter = seconds
	return e
}

// waitOf is what a refusal says of when to come again; 0: it is none.
func waitOf(err error) time.Duration {
	var coded *transcript.Error
	if !errors.As(err, &coded) || coded.Code != transcript.IPBlocked {
		return 0
	}
	return time.Duration(coded.RetryAfter) * time.Second
}

func unlimited() pace.Config { return pace.Config{Rate: pace.Unlimited()} }

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, r := range []pace.Rate{{PerMinute: -1}, {Burst: -1}, {PerMinute: math.NaN()}, {PerMinute: math.Inf(-1)}} {
		_, err := throttle.New(pace.Config{Rate: r}, nil, nil)
		require.Error(t, err, r)
		_, err = throttle.New(pace.Config{Rates: map[transcript.Platform]pace.Rate{transcript.PhotoSite: r}}, nil, nil)
		require.ErrorContains(t, err, "photo_site", r)
	}
}

// What a source says reaches the caller as it is.
func TestAnswersPass(t *testing.T) {
	t.Parallel()
	s := &site{}
	p := keep(t, pace.Config{}, s)
	found, err := p.Captions[0].Captions(t.Context(), engine.Content{Platform: transcript.VideoSite}, nil)
	require.NoError(t, err)
	assert.Equal(t, "A talk", found.Metadata.Title)
	path, err := p.Audio.Audio(t.Context(), engine.Content{}, "", engine.AudioOptions{})
	require.NoError(t, err)
	assert.Equal(t, "sound", path)

	gone := transcript.Errorf(transcript.Unavailable, "It is gone.")
	s.answer = func(int) error { return gone }
	found, err = p.Captions[0].Captions(t.Context(), engine.Content{Platform: transcript.VideoSite}, nil)
	assert.Same(t, gone, err)
	assert.Equal(t, "A talk", found.Metadata.Title, "what was learned before an error")
	assert.Same(t, gone, p.download(t.Context()))

	assert.Nil(t, keepNoSound(t).Audio, "a missing capability stays missing")
}

func keepNoSound(t *testing.T) engine.Engine {
	t.Helper()
	p, err := throttle.New(pace.Config{}, nil, nil)
	require.NoError(t, err)
	return p.Engine(engine.Engine{})
}

// brittle is a source that can tell that it does not work.
type brittle struct{ site }

func (*brittle) Check(context.Context) error { return errBroken }

var errBroken = errors.New("broken")

func TestChecksPass(t *testing.T) {
	t.Parallel()
	p, err := throttle.New(pace.Config{}, nil, nil)
	require.NoError(t, err)
	e := p.Engine(engine.Engine{Captions: []engine.CaptionSource{&brittle{}, &site{}}, Audio: &brittle{}})
	for source, want := range map[any]error{e.Captions[0]: errBroken, e.Captions[1]: nil, e.Audio: errBroken} {
		checker, ok := source.(engine.Checker)
		require.True(t, ok)
		assert.Equal(t, want, checker.Check(t.Context()))
	}
}

// The circuit of a platform is open when those of all its sources are.
func TestCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ok, no := &site{}, &site{answer: func(int) error { return blocked(0) }}
		p := keep(t, pace.Config{}, no, ok)
		check := func() error { return p.Check(p.Captions, transcript.VideoSite) }
		require.NoError(t, check())
		require.Error(t, p.read(t.Context()))
		assert.NoError(t, check(), "one source answers")
		assert.NoError(t, p.Check(p.Captions[1:], transcript.VideoSite))
		assert.ErrorIs(t, p.Check(p.Captions[:1], transcript.VideoSite), throttle.ErrOpen)
		ok.answer = no.answer
		require.Error(t, p.readFrom(t.Context(), 1, transcript.VideoSite))
		assert.ErrorIs(t, check(), throttle.ErrOpen)
		assert.NoError(t, p.Check(p.Captions, transcript.ShortVideoSite))
		assert.NoError(t, p.Check(p.Captions, transcript.PhotoSite), "which nobody reads")
		time.Sleep(30 * time.Second) // in the bubble
		assert.NoError(t, check(), "it may be asked again")
	})
}

// A new pace counts from the next visit on, also for a platform that was visited before.
func TestSetPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, &site{})
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())))
		require.NoError(t, p.SetPace(pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 1}}))
		assert.Equal(t, 10*time.Second, waitOf(p.read(t.Context())))
		require.Error(t, p.SetPace(pace.Config{Rate: pace.Rate{PerMinute: -1}}))
		assert.Equal(t, 10*time.Second, waitOf(p.read(t.Context())), "the pace stays")
	})
}
