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
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The ways through the stages.
var (
	byCaptions = []transcript.Stage{transcript.StageQueued, transcript.StageCaptionFetch, transcript.StagePublishing, transcript.StageDone}
	bySound    = []transcript.Stage{transcript.StageQueued, transcript.StageDurationCheck, transcript.StageASRQueued,
		transcript.StageASRRunning, transcript.StagePublishing, transcript.StageDone}
	byBoth = append([]transcript.Stage{transcript.StageQueued, transcript.StageCaptionFetch}, bySound[1:]...)
)

func TestCaptionsBecomeTranscript(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, sites := &script{}, newPlatforms(t, auto("en"), manual("en"), manual("de"))
		b := startLinks(t, s, e, sites)
		job := b.succeed(t, link("v1", ""))
		assert.Equal(t, byCaptions, b.stages(t, job.JobID))
		res := job.Result
		assert.False(t, res.Cached)
		assert.Equal(t, "en", res.Language)
		assert.Equal(t, transcript.MetadataComplete, res.MetadataStatus)
		assert.Equal(t, "A talk", *res.Transcript.Title)
		assert.Equal(t, "Talks", *res.Transcript.Channel)
		assert.Equal(t, 5, *res.LengthSeconds)
		assert.Equal(t, "0:05", *res.LengthText)
		assert.Equal(t, transcript.OriginDownloader, res.Transcript.Source)
		assert.Equal(t, "https://video.example/watch?v=v1", *res.Transcript.SourceURL)
		assert.JSONEq(t, `[{"text":"caption en.manual","start":1,"duration":2}]`, string(plain(t, job.SegmentsJSON)))
		assert.Zero(t, e.calls(), "speech recognition although there are captions")
		assert.Zero(t, sites.downloads)

		out, err := b.Submit(t.Context(), link("v1", "fr,en"))
		require.NoError(t, err)
		require.NotNil(t, out.Result, "the second request was not answered from the cache")
		assert.True(t, out.Result.Cached)
		assert.Equal(t, job.TranscriptRef, out.Result.Transcript.ID)
		assert.Equal(t, 1, sites.questions())

		other := link("v1", "en")
		other.Account = "other"
		out, err = b.Submit(t.Context(), other)
		require.NoError(t, err)
		require.NotNil(t, out.Result, "the cache is shared")
		for _, account := range []string{acme, "other"} {
			rows, err := s.Library.All(t.Context(), account)
			require.NoError(t, err)
			require.Len(t, rows, 1, "library of %s", account)
			assert.Equal(t, job.TranscriptRef, rows[0].TranscriptID)
		}

		german := b.succeed(t, link("v1", "de"))
		assert.Equal(t, "de", german.Result.Language)
		assert.Equal(t, 2, sites.questions())
	})
}

// Rolling captions are unrolled where a machine wrote them; what people placed
// stays.
func TestAutomaticCaptionsAreUnrolled(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, auto("en"), manual("de"))
	sites.segments = []transcript.Segment{
		{Text: "so we go", Start: 0, Duration: 2},
		{Text: "so we go\nto the sea", Start: 2, Duration: 2, Words: []transcript.Word{
			{Text: "so", Start: 2, End: 2.5}, {Text: "we", Start: 2, End: 2.5}, {Text: "go", Start: 2, End: 2.5},
			{Text: "to", Start: 2, End: 2.5}, {Text: "the", Start: 2.5, End: 3}, {Text: "sea", Start: 3, End: 4},
		}},
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
	job := b.succeed(t, link("v1", "en"))
	assert.JSONEq(t, `[{"text":"so we go","start":0,"duration":2},{"text":"to the sea","start":2,"duration":2}]`, string(plain(t, job.SegmentsJSON)))
	timed, err := b.store.Transcripts.Timed(t.Context(), job.TranscriptRef)
	require.NoError(t, err)
	assert.JSONEq(t, `[[],[{"text":"to","start":2,"duration":0.5},{"text":"the","start":2.5,"duration":0.5},{"text":"sea","start":3,"duration":1}]]`, string(plain(t, timed.WordsJSON)))

	job = b.succeed(t, link("v1", "de"))
	assert.JSONEq(t, `[{"text":"so we go","start":0,"duration":2},{"text":"so we go\nto the sea","start":2,"duration":2}]`, string(plain(t, job.SegmentsJSON)))
}

func TestEveryPlatform(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		platform transcript.Platform
		tracks   []transcript.Track
		way      []transcript.Stage
		source   transcript.Origin
	}{
		{transcript.VideoSite, []transcript.Track{manual("en")}, byCaptions, transcript.OriginDownloader},
		{transcript.ShortVideoSite, []transcript.Track{manual("en")}, byCaptions, transcript.OriginShortVideoSiteCaptions},
		{transcript.ProfessionalSite, []transcript.Track{auto("en")}, byCaptions, transcript.OriginProfessionalCaptions},
		{transcript.VideoSite, nil, byBoth, transcript.OriginASR},
		{transcript.ShortVideoSite, nil, byBoth, transcript.OriginASR},
		{transcript.ProfessionalSite, []transcript.Track{manual("de")}, byBoth, transcript.OriginASR},
		{transcript.PhotoSite, []transcript.Track{manual("en")}, bySound, transcript.OriginASR},
		{transcript.MicroblogSite, []transcript.Track{manual("en")}, bySound, transcript.OriginASR},
	} {
		t.Run(string(test.platform)+" "+string(test.source), func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, test.tracks...)
			e := &script{}
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
			s := link("x1", "en")
			s.Content.Platform = test.platform
			job := b.succeed(t, s)
			assert.Equal(t, test.way, b.stages(t, job.JobID))
			assert.Equal(t, test.source, job.Result.Transcript.Source)
			assert.Equal(t, "A talk", *job.Result.Transcript.Title)
			assert.Equal(t, transcript.MetadataComplete, job.Result.MetadataStatus)
			if language.HasCaptions(test.platform) {
				assert.Equal(t, 1, sites.questions())
			} else {
				assert.Zero(t, sites.questions(), "the platform has no captions")
			}
			rows, err := b.store.Library.All(t.Context(), acme)
			require.NoError(t, err)
			assert.Len(t, rows, 1)
			out, err := b.Submit(t.Context(), s)
			require.NoError(t, err)
			assert.NotNil(t, out.Result, "not cached")
			b.nothingLeft(t)
		})
	}
}

// The recognizer gets a language only from asr-<tag>, or where there never are
// captions from the first entry that was sent.
func TestSpokenLanguage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		platform  transcript.Platform
		languages string
		want      string
	}{
		{transcript.VideoSite, "", ""},
		{transcript.VideoSite, "en", ""},
		{transcript.VideoSite, "de,asr", ""},
		{transcript.VideoSite, "de,asr-en", "en"},
		{transcript.VideoSite, "asr-en-GB", "en-GB"},
		{transcript.PhotoSite, "", ""},
		{transcript.PhotoSite, "en", "en"},
		{transcript.MicroblogSite, "asr", ""},
		{transcript.MicroblogSite, "asr-en,de", "en"},
	} {
		t.Run(string(test.platform)+" "+test.languages, func(t *testing.T) {
			t.Parallel()
			var got string
			e := &script{recognize: func(_ context.Context, _ int, _ engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
				got = o.Language
				return heard("hello"), nil
			}}
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, newPlatforms(t))
			s := link("x1", test.languages)
			s.Content.Platform = test.platform
			b.succeed(t, s)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestDownloadFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set  func(*platforms)
		code transcript.Code
	}{
		"gone": {func(p *platforms) {
			p.audio = func(context.Context) error { return transcript.Errorf(transcript.Unavailable, "Gone.") }
		}, transcript.Unavailable},
		"no media":    {func(p *platforms) { p.sound = []byte("<html>") }, transcript.Unavailable},
		"claims long": {func(p *platforms) { p.metadata.Duration = 13 * 3600 }, transcript.MediaTooLarge},
		"is long":     {func(p *platforms) { p.metadata.Duration = 0; p.sound = recording(t, 31, 1) }, transcript.MediaTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t)
			test.set(sites)
			e := &script{}
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites, func(c *service.Config) {
				if name == "is long" {
					c.MaxMediaDuration = 30 * time.Second
				}
			})
			job := b.send(t, link("v1", "asr"))
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, test.code, job.Error.Code)
			assert.Equal(t, transcript.StageDurationCheck, job.Stage)
			assert.Zero(t, e.calls())
			b.nothingLeft(t)
		})
	}
}

// The text may have been made for somebody else meanwhile.
func TestCacheAnswersWhenTaken(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	out, err := b.Submit(t.Context(), link("v1", "fr,en"))
	require.NoError(t, err)
	_, err = b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	b.startOne(t)
	job := b.end(t, out.Job.JobID)
	require.Equal(t, transcript.JobSuccess, job.Status)
	assert.True(t, job.Result.Cached)
	assert.False(t, job.Result.Stale)
	assert.Equal(t, []transcript.Stage{transcript.StageQueued, transcript.StagePublishing, transcript.StageDone}, b.stages(t, job.JobID))
	assert.Equal(t, 1, sites.questions())
}

// A download says nothing about captions: what is known of them stays.
func TestDownloadKeepsTracks(t *testing.T) {
	t.Parallel()
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, newPlatforms(t, manual("en")))
	b.fill(t, "en", "en")
	b.succeed(t, link("v1", "asr"))
	out, err := b.Submit(t.Context(), link("v1", "fr,en"))
	require.NoError(t, err)
	require.NotNil(t, out.Result, "the tracks are forgotten")
	assert.Equal(t, "en", out.Result.Language)
	assert.NotEqual(t, transcript.OriginASR, out.Result.Transcript.Source)
}

// An idempotency key remembers the text that answered, also where the account had
// it already.
func TestAnswerFromCacheIsRemembered(t *testing.T) {
	t.Parallel()
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t))
	b.fill(t, "en", "en")
	for _, name := range []string{"one", "two"} {
		key := db.IdempotencyKey{Account: acme, Method: "POST", Route: "/", Key: name}
		taken, err := b.store.Idempotency.Take(t.Context(), key, nil)
		require.NoError(t, err)
		s := link("v1", "en")
		s.Key = taken.Held
		out, err := b.Submit(t.Context(), s)
		require.NoError(t, err)
		again, err := b.store.Idempotency.Take(t.Context(), key, nil)
		require.NoError(t, err)
		assert.Equal(t, &db.Answer{Kind: db.TranscriptAnswer, ID: out.Result.Transcript.ID}, again.Answer)
		rows, err := b.store.Library.All(t.Context(), acme)
		require.NoError(t, err)
		assert.Len(t, rows, 1)
	}
}

func TestEqualLinksAreOneWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		b := prepareLinks(t, s, sites)
		ids := map[string]string{}
		for _, account := range []string{acme, "beta", "gamma", acme} {
			sub := link("v1", "en")
			sub.Account = account
			out, err := b.Submit(t.Context(), sub)
			require.NoError(t, err)
			if ids[account] != "" {
				assert.Equal(t, ids[account], out.Job.JobID)
			}
			ids[account] = out.Job.JobID
		}
		require.Len(t, ids, 3)
		b.startOne(t)
		for account, id := range ids {
			job, err := b.Jobs.Wait(t.Context(), account, id, nil)
			require.NoError(t, err)
			assert.Equal(t, transcript.JobSuccess, job.Status)
			_, err = b.Jobs.Job(t.Context(), "delta", id, nil)
			require.ErrorIs(t, err, transcript.NotFound)
		}
		assert.Equal(t, 1, sites.questions())
	})
}

// Lists that ask for the same share one piece of work, however they say it.
func TestListsThatMeanTheSame(t *testing.T) {
	t.Parallel()
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t))
	for platform, groups := range map[transcript.Platform][][]string{
		transcript.VideoSite:     {{"", "en", "EN"}, {"asr"}, {"asr-en"}},
		transcript.PhotoSite:     {{"", "asr", "asr,en"}, {"en", "asr-en", "en,fr"}, {"en-GB"}},
		transcript.MicroblogSite: {{"", "asr"}, {"en-US", "asr-en-us"}},
	} {
		var jobs []string
		for _, group := range groups {
			first := ""
			for _, list := range group {
				s := link("x1", list)
				s.Content.Platform = platform
				out, err := b.Submit(t.Context(), s)
				require.NoError(t, err)
				if first == "" {
					first = out.Job.JobID
					assert.NotContains(t, jobs, first, "%s %q", platform, list)
				}
				assert.Equal(t, first, out.Job.JobID, "%s %q", platform, list)
			}
			jobs = append(jobs, first)
		}
	}
}

func TestStopGivesLinksBack(t *testing.T) {
	t.Parallel()
	for _, stage := range []transcript.Stage{transcript.StageCaptionFetch, transcript.StageDurationCheck} {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			s := dbtest.Open(t, dbtest.SQLite(t))
			begun := make(chan struct{}, 1)
			hold := func(ctx context.Context) error {
				begun <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}
			sites := newPlatforms(t)
			if stage == transcript.StageCaptionFetch {
				sites.captions = func(ctx context.Context, _ int) error { return hold(ctx) }
			} else {
				sites.audio = hold
			}
			first := prepareLinks(t, s, sites)
			require.NoError(t, first.Start(t.Context()))
			out, err := first.Submit(t.Context(), link("v1", "en"))
			require.NoError(t, err)
			<-begun
			require.NoError(t, first.Stop(t.Context()))
			job, err := first.Jobs.Job(t.Context(), acme, out.Job.JobID, nil)
			require.NoError(t, err)
			assert.Equal(t, transcript.StageQueued, job.Stage)
			assert.Equal(t, 1, job.Attempt)

			second := startLinks(t, s, &script{}, newPlatforms(t))
			job = second.end(t, out.Job.JobID)
			require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
			assert.Equal(t, 1, job.Attempt)
			second.nothingLeft(t)
		})
	}
}

func TestCancelledLinkStopsItsDownload(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	sites.audio = func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
	out, err := b.Submit(t.Context(), link("v1", "asr"))
	require.NoError(t, err)
	<-begun
	job, err := b.Cancel(t.Context(), acme, out.Job.JobID, nil)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobCancelled, job.Status)
	<-ended
	rows, err := b.store.Library.All(t.Context(), acme)
	require.NoError(t, err)
	assert.Empty(t, rows)
}
