package throttle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A block is heeded for as long as the platform asks for, and for longer each
// time while it goes on.
func TestCoolDowns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked []int // by one block after the other; -1: the platform answers
		want  []int // seconds
	}{
		"nothing is asked":  {[]int{0, 0, 0, 0, 0, 0, 0}, []int{30, 60, 120, 240, 480, 600, 600}},
		"asked":             {[]int{5, 3600}, []int{5, 3600}},
		"asked for ever":    {[]int{1, 1, 1, 1}, []int{1, 2, 4, 8}},
		"asked once":        {[]int{3600, 0, 0}, []int{3600, 600, 600}},
		"long blocks":       {[]int{600, 600, 600, 600, 600}, []int{600, 1200, 2400, 3600, 3600}},
		"nearly long":       {[]int{599, 599}, []int{599, 600}},
		"too long":          {[]int{24 * 3600, 1 << 60}, []int{6 * 3600, 6 * 3600}},
		"nonsense":          {[]int{-5, -1 << 60}, []int{30, 60}},
		"answered meantime": {[]int{0, 0, answers, 0, 0}, []int{30, 60, 0, 30, 60}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(visit int) error {
					if test.asked[visit-1] == answers {
						return nil
					}
					return blocked(test.asked[visit-1])
				}}
				p := keep(t, unlimited(), s)
				for i, want := range test.want {
					err := p.read(t.Context())
					require.Equal(t, time.Duration(want)*time.Second, waitOf(err), "block %d", i)
					time.Sleep(waitOf(err) - time.Nanosecond) // in the bubble
					if want > 0 {
						err = p.read(t.Context())
						assert.Equal(t, time.Second, waitOf(err))
						assert.ErrorContains(t, err, "Prove that you are a person", "why is repeated")
						assert.ErrorIs(t, err, throttle.ErrHeldBack)
						time.Sleep(time.Nanosecond) // in the bubble
					}
					require.Equal(t, i+1, s.visited())
				}
			})
		})
	}
}

const answers = 12345 // asked: no block at all

// What says nothing of a block opens no circuit, however often it comes.
func TestWhatOpensNoCircuit(t *testing.T) {
	t.Parallel()
	for _, code := range []transcript.Code{
		transcript.UpstreamFailed, transcript.Unavailable, transcript.LoginRequired, transcript.POTokenRequired,
		transcript.MediaTooLarge, transcript.ConfigError, transcript.Internal,
	} {
		s := &site{answer: func(int) error { return transcript.Errorf(code, "No.") }}
		p := keep(t, unlimited(), s)
		for range 20 {
			require.ErrorIs(t, p.read(t.Context()), code)
			require.ErrorIs(t, p.download(t.Context()), code)
		}
		assert.Equal(t, 40, s.visited(), code)
	}
}

// After the cool-down one visit finds out whether the platform answers; the
// others are told to wait for it.
func TestTrial(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer error
		then   time.Duration // that the next has to wait
	}{
		"answer":        {nil, 0},
		"gone":          {transcript.Errorf(transcript.Unavailable, "It is gone."), 0},
		"token":         {transcript.Errorf(transcript.POTokenRequired, "Empty."), 0},
		"still blocked": {blocked(0), time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(int) error { return blocked(0) }}
				p := keep(t, unlimited(), s)
				time.Sleep(waitOf(p.read(t.Context()))) // in the bubble
				release := make(chan struct{})
				s.during = func(context.Context, engine.AudioOptions) { <-release }
				s.answer = func(int) error { return test.answer }
				var trial sync.WaitGroup
				trial.Go(func() { assert.Equal(t, test.answer == nil, p.read(t.Context()) == nil) })
				synctest.Wait()
				require.Equal(t, 2, s.visited())
				for range 50 {
					assert.Equal(t, 5*time.Second, waitOf(p.read(t.Context())))
				}
				assert.ErrorIs(t, p.Check(p.Captions[:1], transcript.VideoSite), throttle.ErrOpen)
				require.Equal(t, 2, s.visited(), "one at a time")
				close(release)
				trial.Wait()
				s.answer = nil
				assert.Equal(t, test.then, waitOf(p.read(t.Context())))
			})
		})
	}
}

// A trial that says nothing of the block leaves the next one to find out, and
// the circuit where it was.
func TestUndecidedTrial(t *testing.T) {
	t.Parallel()
	for name, undecided := range map[string]func(context.CancelFunc) error{
		"fault":     func(context.CancelFunc) error { return transcript.Errorf(transcript.UpstreamFailed, "Broken.") },
		"cancelled": func(cancel context.CancelFunc) error { cancel(); return context.Canceled },
		"uncoded":   func(context.CancelFunc) error { return errors.New("no room") },
		"panic":     func(context.CancelFunc) error { panic("a source is at fault") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &site{answer: func(int) error { return blocked(0) }}
				p := keep(t, unlimited(), s)
				time.Sleep(waitOf(p.read(t.Context()))) // in the bubble
				for range 3 {
					ctx, cancel := context.WithCancel(t.Context())
					s.answer = func(int) error { return undecided(cancel) }
					func() {
						defer func() { assert.Equal(t, name == "panic", recover() != nil) }()
						assert.NotErrorIs(t, p.read(ctx), transcript.IPBlocked)
					}()
					cancel()
				}
				require.Equal(t, 4, s.visited())
				s.answer = func(int) error { return blocked(0) }
				assert.Equal(t, time.Minute, waitOf(p.read(t.Context())), "the block goes on")
			})
		})
	}
}

// Visits that are under way when a platform begins to block find out together:
// that is one block.
func TestBlockOfManyVisits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &site{answer: func(int) error { return blocked(0) }}
		s.during = func(context.Context, engine.AudioOptions) { <-release }
		p := keep(t, unlimited(), s)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { assert.Equal(t, 30*time.Second, waitOf(p.read(t.Context()))) })
		}
		synctest.Wait()
		close(release)
		all.Wait()
		assert.Equal(t, 8, s.visited())
		assert.Equal(t, 30*time.Second, waitOf(p.read(t.Context())))
	})
}

// What a visit learns that began before a block says nothing of it.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &site{during: func(context.Context, engine.AudioOptions) { <-release }}
		p := keep(t, unlimited(), s)
		var slow sync.WaitGroup
		slow.Go(func() { assert.NoError(t, p.read(t.Context())) })
		synctest.Wait()
		s.mu.Lock()
		s.during, s.answer = nil, func(visit int) error {
			if visit > 1 {
				return blocked(0)
			}
			return nil
		}
		s.mu.Unlock()
		require.Error(t, p.read(t.Context()))
		close(release)
		slow.Wait()
		assert.Equal(t, 30*time.Second, waitOf(p.read(t.Context())))
		time.Sleep(30 * time.Second) // in the bubble
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())), "the block goes on")
	})
}

// One source and one platform do not answer for another, nor captions for sound.
func TestCircuitsAreSeparate(t *testing.T) {
	t.Parallel()
	no, ok := &site{answer: func(visit int) error {
		if visit == 1 {
			return blocked(0)
		}
		return nil
	}}, &site{}
	p := keep(t, unlimited(), no, ok)
	require.Error(t, p.read(t.Context()))
	require.Error(t, p.read(t.Context()))
	assert.Equal(t, 1, no.visited())
	assert.NoError(t, p.readFrom(t.Context(), 1, transcript.VideoSite))
	assert.NoError(t, p.readFrom(t.Context(), 0, transcript.ShortVideoSite))
	assert.NoError(t, p.download(t.Context()))
}

// A download may take hours. The others need not wait for its end to know that
// the platform answers again.
func TestTrialOfADownload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{answer: func(int) error { return blocked(0) }}
		p := keep(t, unlimited(), s)
		time.Sleep(waitOf(p.download(t.Context()))) // in the bubble
		began, comes, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		s.answer = nil
		s.during = func(_ context.Context, o engine.AudioOptions) {
			o.Progress(0, 100)
			close(began)
			<-comes
			o.Progress(1, 100)
			o.Progress(2, 100)
			<-end
		}
		var reported []int64
		var slow sync.WaitGroup
		slow.Go(func() {
			_, err := p.Audio.Audio(t.Context(), engine.Content{Platform: transcript.VideoSite}, "", engine.AudioOptions{
				Progress: func(done, _ int64) { reported = append(reported, done) },
			})
			assert.NoError(t, err)
		})
		<-began
		assert.Equal(t, 5*time.Second, waitOf(p.download(t.Context())))
		close(comes)
		synctest.Wait()
		s.mu.Lock()
		s.during = nil
		s.mu.Unlock()
		assert.NoError(t, p.download(t.Context()))
		close(end)
		slow.Wait()
		assert.Equal(t, []int64{0, 1, 2}, reported)
	})
}

// Operators read when a circuit opens and closes, and nothing of the content.
func TestLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p, err := throttle.New(unlimited(), nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		})))
		require.NoError(t, err)
		s := &site{answer: func(visit int) error {
			if visit < 3 {
				return blocked(0)
			}
			return nil
		}}
		e := p.Engine(engine.Engine{Captions: []engine.CaptionSource{s}})
		for range 4 {
			_, err := e.Captions[0].Captions(t.Context(), engine.Content{
				Platform: transcript.VideoSite, ExternalID: "v1", URL: "https://video.example/watch?v=v1",
			}, nil)
			time.Sleep(waitOf(err)) // in the bubble
		}
		about := " platform=video_site exit=direct source=video_site_downloader "
		assert.Equal(t, fmt.Sprint(
			`level=WARN msg="a circuit has opened"`, about, "for=30s\n",
			`level=WARN msg="a circuit has opened"`, about, "for=1m0s\n",
			`level=INFO msg="a circuit has closed"`, about, "after=1m30s\n",
		), strings.ReplaceAll(log.String(), "\r", ""))
	})
}
