package service_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// nothing is what a source says that has found nothing, which proves nothing.
const nothing transcript.Code = "nothing"

// refusing is what a source says that cannot answer.
func refusing(code transcript.Code) func(context.Context, int) error {
	return func(context.Context, int) error {
		if code == nothing {
			return transcript.Errorf(transcript.Unavailable, "Nothing.").Because(fmt.Errorf("script: %w", engine.ErrNothingFound))
		}
		return transcript.Errorf(code, "No.")
	}
}

// reasons are in the order in which they count.
var reasons = []transcript.Code{
	nothing, transcript.ConfigError, transcript.UpstreamFailed, transcript.POTokenRequired,
	transcript.IPBlocked, transcript.LoginRequired, transcript.Unavailable,
}

// Whichever of two sources says what: the reason that counts more is the answer, to
// a reader.
func TestReasonsOfTwoSources(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	for i, first := range reasons {
		for j, second := range reasons {
			name := string(first + "," + second)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				a, b := newPlatforms(t), newPlatforms(t)
				a.captions, b.captions = refusing(first), refusing(second)
				bench := prepareLinks(t, s, a, func(c *service.Config) { c.Engine.Captions = []engine.CaptionSource{a, b} })
				q := question("en")
				q.Content.ExternalID = name
				r, err := bench.Ask.Captions(t.Context(), q)
				want := reasons[max(i, j)]
				if want == transcript.Unavailable || want == nothing {
					require.ErrorIs(t, err, transcript.Unavailable)
					assert.Equal(t, want == nothing, errors.Is(err, engine.ErrNothingFound))
					return
				}
				require.NoError(t, err)
				assert.Equal(t, want, r.Failure.Code)
			})
		}
	}
}

// A block and a fault are waited out, though the other source finds nothing.
func TestNothingFoundEndsNoJob(t *testing.T) {
	t.Parallel()
	for code, attempts := range map[transcript.Code]int{transcript.IPBlocked: 1, transcript.UpstreamFailed: 3} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			knows, finds := newPlatforms(t, manual("en")), newPlatforms(t)
			finds.captions = refusing(nothing)
			knows.captions = func(_ context.Context, call int) error {
				if call > 2 {
					return nil
				}
				e := transcript.Errorf(code, "Not now.")
				e.RetryAfter = 1
				return e
			}
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, knows, func(c *service.Config) {
				c.PauseBriefly()
				c.Engine.Captions = []engine.CaptionSource{knows, finds}
			})
			job := b.succeed(t, link("v1", "en"))
			assert.Equal(t, attempts, job.Attempt)
			assert.Equal(t, 2, finds.questions())
		})
	}
}

// Tracks that a source was denied are there, also when another one sees none.
func TestWithheldTracksAreNotNone(t *testing.T) {
	t.Parallel()
	denied, blocked, blind := newPlatforms(t), newPlatforms(t), newPlatforms(t)
	denied.captions, blocked.captions = refusing(transcript.POTokenRequired), refusing(transcript.IPBlocked)
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), denied, func(c *service.Config) {
		c.Engine.Captions = []engine.CaptionSource{denied, blocked, blind}
	})
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	assert.Equal(t, transcript.IPBlocked, r.TrackMetadataErrorCode)
	assert.Equal(t, 1, blind.questions())
}

// What is known when a reader's time is over is told, though another source has
// not answered.
func TestKnownReasonWinsOverTime(t *testing.T) {
	t.Parallel()
	for known, want := range map[transcript.Code]transcript.Code{
		transcript.IPBlocked:       transcript.IPBlocked,
		transcript.POTokenRequired: transcript.POTokenRequired,
		nothing:                    transcript.UpstreamFailed,
	} {
		t.Run(string(known), func(t *testing.T) {
			t.Parallel()
			b, asked := besideSlowSource(t, known, func(c *service.Config) { c.LookupBudget = 2 * time.Second })
			r, err := b.Ask.Captions(t.Context(), question("en"))
			require.NoError(t, err)
			<-asked
			assert.Equal(t, want, r.Failure.Code)
			if known != nothing {
				assert.Equal(t, []transcript.Track{manual("de")}, r.Tracks, "what was learned")
			}
		})
	}
}

// So it is when the service ends the question.
func TestKnownReasonWinsOverTheEnd(t *testing.T) {
	t.Parallel()
	b, asked := besideSlowSource(t, transcript.IPBlocked)
	failed := make(chan transcript.Code)
	go func() {
		r, err := b.Ask.Captions(t.Context(), question("en"))
		assert.NoError(t, err)
		failed <- r.Failure.Code
	}()
	<-asked
	require.NoError(t, b.Stop(t.Context()))
	assert.Equal(t, transcript.IPBlocked, <-failed)
}

// besideSlowSource is a pipeline with a source that refuses at once, and one that
// says when it is asked and answers nothing until its context ends.
func besideSlowSource(t *testing.T, code transcript.Code, change ...func(*service.Config)) (b *bench, asked chan struct{}) {
	t.Helper()
	asked = make(chan struct{})
	refuses, slow := newPlatforms(t), newPlatforms(t)
	refuses.captions, refuses.learned = refusing(code), []transcript.Track{manual("de")}
	slow.captions = func(ctx context.Context, _ int) error { close(asked); <-ctx.Done(); return context.Cause(ctx) }
	wire := func(c *service.Config) { c.Engine.Captions = []engine.CaptionSource{refuses, slow} }
	b = prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), refuses, append(change, wire)...)
	t.Cleanup(func() { require.NoError(t, b.Stop(context.Background())) })
	return b, asked
}
