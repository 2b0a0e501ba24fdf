package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestPlatformFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code  transcript.Code
		calls int
	}{
		{transcript.Unavailable, 1},
		{transcript.LoginRequired, 1},
		{transcript.POTokenRequired, 1},
		{transcript.ConfigError, 1},
		{transcript.UpstreamFailed, 4}, // tried again, until no attempt is left
	} {
		t.Run(string(test.code), func(t *testing.T) {
			t.Parallel()
			e, sites := &script{}, newPlatforms(t, manual("en"))
			sites.captions = func(context.Context, int) error { return transcript.Errorf(test.code, "No.") }
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
			job := b.send(t, link("v1", "en"))
			require.Equal(t, transcript.JobFailed, job.Status)
			require.NotNil(t, job.Error)
			assert.Equal(t, test.code, job.Error.Code)
			assert.Equal(t, transcript.StageCaptionFetch, job.Stage)
			assert.Equal(t, test.calls, sites.questions())
			assert.Equal(t, test.calls, job.Attempt)
			assert.Zero(t, sites.downloads, "a fault is not the absence of captions")
			assert.Zero(t, e.calls())
		})
	}
}

// blocksBriefly is what a platform says that blocks for a second.
func blocksBriefly() error {
	e := transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
	e.RetryAfter = 1
	return e
}

func TestBlockedPlatformIsWaitedFor(t *testing.T) {
	t.Parallel()
	e, sites := &script{}, newPlatforms(t, manual("en"))
	sites.captions = func(_ context.Context, call int) error {
		if call <= 2 {
			return blocksBriefly()
		}
		return nil
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
	job := b.succeed(t, link("v1", "en"))
	assert.Equal(t, 1, job.Attempt, "waiting is not failing")
	assert.Equal(t, "caption en.manual", segmentsOf(t, job.SegmentsJSON)[0].Text)
	assert.False(t, job.Result.Stale)
	q, c := transcript.StageQueued, transcript.StageCaptionFetch
	assert.Equal(t, []transcript.Stage{q, c, q, c, q, c, transcript.StagePublishing, transcript.StageDone}, b.stages(t, job.JobID))
	assert.Zero(t, e.calls())
}

func TestBlockIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	sites := newPlatforms(t, manual("en"))
	sites.captions = func(context.Context, int) error {
		return transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
	}
	b := startLinks(t, s, &script{}, sites, func(c *service.Config) { c.WaitNoLonger() })
	job := b.send(t, link("v1", "en"))
	require.Equal(t, transcript.JobFailed, job.Status)
	assert.Equal(t, transcript.IPBlocked, job.Error.Code)
	assert.True(t, *job.Error.Retryable)
	assert.Equal(t, 1, sites.questions(), "the platform is left alone")
}

func TestStaleTextIsServedWhileBlocked(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	e, sites := &script{}, newPlatforms(t, manual("en"))
	b := startLinks(t, s, e, sites)
	first := b.succeed(t, link("v1", "en"))

	expired := link("v1", "en")
	expired.Plan.CacheTTL = time.Nanosecond
	sites.set(func(p *platforms) {
		p.captions = func(context.Context, int) error {
			return blocksBriefly()
		}
	})
	job := b.succeed(t, expired)
	assert.True(t, job.Result.Stale)
	assert.True(t, job.Result.Cached)
	assert.Equal(t, first.TranscriptRef, job.TranscriptRef)
	assert.Equal(t, byCaptions, b.stages(t, job.JobID))

	sites.set(func(p *platforms) { p.captions = nil })
	renewed := b.succeed(t, expired)
	for renewed.Result.Stale { // the platform is left alone for a second
		renewed = b.succeed(t, expired)
	}
	assert.False(t, renewed.Result.Cached)
	assert.Equal(t, first.TranscriptRef, renewed.TranscriptRef, "a refresh keeps the id")
	assert.True(t, renewed.Result.Transcript.UpdatedAt.After(first.Result.Transcript.UpdatedAt.Time))
}

// A second source is asked when the first is blocked.
func TestSourcesInTurn(t *testing.T) {
	t.Parallel()
	blocked, knows := newPlatforms(t), newPlatforms(t, manual("en"))
	blocked.captions = func(context.Context, int) error {
		return transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, blocked, func(c *service.Config) {
		c.Engine.Captions = []engine.CaptionSource{blocked, knows}
	})
	job := b.succeed(t, link("v1", "en"))
	assert.Equal(t, transcript.OriginDownloader, job.Result.Transcript.Source)
	assert.Equal(t, 1, blocked.questions())
	assert.Equal(t, 1, knows.questions())
}

// A transcript tells whom else the service has asked, and why it was none of them.
func TestProvenance(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		blocked, knows := newPlatforms(t), newPlatforms(t, manual("en"))
		blocked.captions = refusing(transcript.IPBlocked)
		b := startLinks(t, s, &script{}, knows, func(c *service.Config) {
			c.Engine.Captions = []engine.CaptionSource{blocked, knows}
		})
		metadata := func(id, languages string) map[string]any {
			return b.succeed(t, link(id, languages)).Result.Transcript.Metadata
		}
		captions := metadata("v1", "en")
		assert.Equal(t, "en.manual", captions["trackId"])
		assert.Equal(t, []any{passedOver(transcript.IPBlocked, "No.")}, captions["tried"])

		other := metadata("v2", "fr")
		assert.Equal(t, "script", other["engine"])
		assert.Equal(t, []any{
			passedOver(transcript.IPBlocked, "No."),
			passedOver(transcript.LanguageNotAvailable, "There are no captions in the languages asked for."),
		}, other["tried"])

		assert.NotContains(t, metadata("v4", "asr"), "tried")

		assert.NotContains(t, captions, "lostCues")
		knows.tracks, knows.lost = []transcript.Track{manual("en")}, &caption.LostError{Cues: 3}
		assert.EqualValues(t, 3, metadata("v5", "en")["lostCues"])
	})
}

// What is gone for one source is gone for all.
func TestNoSourceIsAskedForWhatIsGone(t *testing.T) {
	t.Parallel()
	gone, other := newPlatforms(t), newPlatforms(t, manual("en"))
	gone.captions = refusing(transcript.Unavailable)
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), gone, func(c *service.Config) {
		c.Engine.Captions = []engine.CaptionSource{gone, other}
	})
	_, err := b.Ask.Captions(t.Context(), question("en"))
	require.ErrorIs(t, err, transcript.Unavailable)
	assert.Zero(t, other.questions())
}

// passedOver is a source as metadata tell of it that did not have the text.
func passedOver(code transcript.Code, reason string) any {
	return map[string]any{"source": "video_site_downloader", "code": string(code), "reason": reason}
}

// A source that fails is not the last word on what another has learned before.
func TestSourcesThatFail(t *testing.T) {
	t.Parallel()
	var all []engine.CaptionSource
	for _, code := range []transcript.Code{transcript.POTokenRequired, transcript.IPBlocked, transcript.UpstreamFailed} {
		sites := newPlatforms(t)
		sites.captions = refusing(code)
		all = append(all, sites)
	}
	all[0].(*platforms).learned = []transcript.Track{manual("en")}
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t), func(c *service.Config) { c.Engine.Captions = all })
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	assert.Equal(t, transcript.IPBlocked, r.TrackMetadataErrorCode, "what passes is the reason that counts")
	assert.Equal(t, []transcript.Track{manual("en")}, r.Tracks)
	for _, source := range all {
		assert.Equal(t, 1, source.(*platforms).questions())
	}
}

// Tracks that one source lists and cannot read are there, also when another one
// sees none: speech is not recognized in their place.
func TestListedTracksAreNotNone(t *testing.T) {
	t.Parallel()
	lists, blind, reads := newPlatforms(t), newPlatforms(t), newPlatforms(t, manual("en"))
	lists.captions, lists.learned = refusing(transcript.POTokenRequired), []transcript.Track{manual("en")}
	heard := &script{}
	run := func(sources ...engine.CaptionSource) *view.Job {
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), heard, lists, func(c *service.Config) { c.Engine.Captions = sources })
		return b.send(t, link("v1", "en"))
	}
	failed := run(lists, blind)
	require.NotNil(t, failed.Error)
	assert.Equal(t, transcript.POTokenRequired, failed.Error.Code)

	read := run(lists, blind, reads)
	require.Equal(t, transcript.JobSuccess, read.Status)
	assert.Equal(t, []any{
		passedOver(transcript.POTokenRequired, "No."),
		passedOver(transcript.NoTranscript, "The content has no captions."),
	}, read.Result.Transcript.Metadata["tried"])
	assert.Zero(t, heard.calls())
}

// A wall in front of the content is there whichever source stands before it:
// neither a block nor a fault of another source is waited out.
func TestWallCountsBeforeOtherFailures(t *testing.T) {
	t.Parallel()
	for _, other := range []transcript.Code{transcript.IPBlocked, transcript.UpstreamFailed} {
		wall, fails := newPlatforms(t), newPlatforms(t)
		wall.captions, fails.captions = refusing(transcript.LoginRequired), refusing(other)
		for order, sources := range map[string][]engine.CaptionSource{"first": {wall, fails}, "last": {fails, wall}} {
			t.Run("beside "+string(other)+", "+order, func(t *testing.T) {
				b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, wall, func(c *service.Config) { c.Engine.Captions = sources })
				job := b.send(t, link("v1", "en"))
				require.NotNil(t, job.Error)
				assert.Equal(t, transcript.LoginRequired, job.Error.Code)
				assert.Equal(t, 1, job.Attempt)
			})
		}
	}
}

// A source whose program is missing is no reason to give up on one that failed for
// a moment, nor what a job is told in the place of what the platform said.
func TestSourceThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		says, want transcript.Code // once; what becomes of the job, empty: it succeeds
	}{
		{transcript.UpstreamFailed, ""},
		{transcript.LoginRequired, transcript.LoginRequired},
		{transcript.ConfigError, transcript.ConfigError},
	} {
		t.Run(string(test.says), func(t *testing.T) {
			t.Parallel()
			sites, missing := newPlatforms(t, manual("en")), newPlatforms(t)
			sites.captions = func(_ context.Context, call int) error {
				if call > 1 {
					return nil
				}
				return transcript.Errorf(test.says, "No.")
			}
			missing.captions = refusing(transcript.ConfigError)
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites, func(c *service.Config) {
				c.Engine.Captions = []engine.CaptionSource{sites, missing}
			})
			job := b.send(t, link("v1", "en"))
			if test.want == "" {
				assert.Equal(t, transcript.JobSuccess, job.Status)
				assert.Equal(t, 2, sites.questions())
				return
			}
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, test.want, job.Error.Code)
		})
	}
}

// unfit is a source that tells so.
type unfit struct{ *platforms }

func (u unfit) Check(context.Context) error {
	return transcript.Errorf(transcript.ConfigError, "The program is missing.")
}

// A platform is open to nobody when the only source that could read it is blocked.
func TestCheckOfABlockedPlatform(t *testing.T) {
	t.Parallel()
	missing, sites := newPlatforms(t), newPlatforms(t)
	missing.captions, sites.captions = refusing(transcript.ConfigError), refusing(transcript.IPBlocked)
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites, func(c *service.Config) {
		c.Engine.Captions = []engine.CaptionSource{unfit{missing}, sites}
	})
	const capability = "engine.captions.video_site"
	require.NoError(t, b.Check(t.Context())[capability])
	require.ErrorIs(t, b.Check(t.Context())["captions"], transcript.ConfigError)
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	require.Equal(t, transcript.IPBlocked, r.Failure.Code)
	assert.ErrorIs(t, b.Check(t.Context())[capability], throttle.ErrOpen)
	assert.NoError(t, b.Check(t.Context())["engine.captions.short_video_site"])
}

// Old text is better than none, whether captions or sound are blocked.
func TestStaleTextIsServedWhileSoundIsBlocked(t *testing.T) {
	t.Parallel()
	photo := link("v1", "")
	photo.Content.Platform = transcript.PhotoSite
	for name, s := range map[string]intake.Submission{"asked for": link("v1", "asr"), "implied": link("v1", "en"), "photo": photo} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, sites := &script{}, newPlatforms(t)
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
			first := b.succeed(t, s)
			sites.set(func(p *platforms) {
				p.audio = func(context.Context) error { return transcript.Errorf(transcript.IPBlocked, "The platform blocks.") }
			})
			s.Plan.CacheTTL = time.Nanosecond
			job := b.succeed(t, s)
			assert.True(t, job.Result.Stale)
			assert.True(t, job.Result.Cached)
			assert.Equal(t, first.TranscriptRef, job.TranscriptRef)
			assert.Equal(t, 1, e.calls())
			assert.Equal(t, 2, sites.downloads)
		})
	}
}
