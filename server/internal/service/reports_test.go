package service_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func question(languages string) ask.Question {
	s := link("v1", languages)
	return ask.Question{Account: s.Account, Plan: s.Plan, Content: s.Content, Languages: s.Languages}
}

// The table of docs/guides/languages.md.
func TestCaptionReport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tracks        []transcript.Track
		fault         transcript.Code
		cache         [2]string // tracks and texts, as in TestCachedTextAnswersList
		languages     string
		status        transcript.TrackStatus
		available     *bool
		text          string
		cached, async bool
		code          transcript.Code
		asked         int
	}{
		"one matches":               {tracks: []transcript.Track{manual("en"), manual("de")}, languages: "de", status: "ok", available: new(true), text: "de", asked: 1},
		"none matches":              {tracks: []transcript.Track{manual("fr")}, languages: "de", status: "ok", async: true, code: transcript.ASRRequiresAsync, asked: 1},
		"none matches, asr follows": {tracks: []transcript.Track{manual("fr")}, languages: "de,asr", status: "ok", async: true, code: transcript.ASRRequiresAsync, asked: 1},
		"there are none":            {languages: "de", status: "empty", available: new(false), async: true, code: transcript.ASRRequiresAsync, asked: 1},
		"asr only":                  {tracks: []transcript.Track{manual("en")}, languages: "asr-en", status: "skipped", async: true, code: transcript.ASRRequiresAsync},
		"blocked":                   {fault: transcript.IPBlocked, status: "failed", code: transcript.IPBlocked, asked: 1},
		"empty body":                {fault: transcript.POTokenRequired, status: "failed", code: transcript.POTokenRequired, asked: 1},
		"fault":                     {fault: transcript.UpstreamFailed, status: "failed", code: transcript.UpstreamFailed, asked: 1},
		"blocked, but cached":       {fault: transcript.IPBlocked, cache: [2]string{"en", "old en"}, status: "failed", text: "en", cached: true, asked: 1},
		"fault, recognized text":    {fault: transcript.UpstreamFailed, cache: [2]string{"", "asr/en"}, status: "failed", code: transcript.UpstreamFailed, asked: 1},
		"from the cache":            {cache: [2]string{"en", "en"}, status: "skipped", available: new(true), text: "en", cached: true},
		"expired":                   {tracks: []transcript.Track{manual("en")}, cache: [2]string{"en", "old en"}, status: "ok", available: new(true), text: "en", asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, test.tracks...)
			if test.fault != "" {
				sites.captions = refusing(test.fault)
			}
			b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
			if test.cache[1] != "" {
				b.fill(t, test.cache[0], test.cache[1])
			}
			r, err := b.Ask.Captions(t.Context(), question(test.languages))
			require.NoError(t, err)
			assert.Equal(t, "v1", r.VideoID)
			assert.Equal(t, test.status, r.TrackMetadataStatus)
			assert.Equal(t, test.available, r.CaptionAvailable)
			assert.Equal(t, test.cached, r.Cached)
			assert.Equal(t, test.async, r.RequiresAsync)
			assert.Equal(t, test.asked, sites.questions())
			if test.text != "" {
				assert.Equal(t, "success", r.Status)
				require.NotNil(t, r.Transcript)
				assert.Equal(t, test.text, r.Transcript.Lang)
				assert.Equal(t, test.text, r.Language)
				assert.NotEmpty(t, plain(t, r.Text.SegmentsJSON))
			} else {
				assert.Equal(t, "error", r.Status)
				assert.Nil(t, r.Transcript)
			}
			if test.code != "" {
				require.NotNil(t, r.Error)
				assert.Equal(t, test.code, r.Error.Code)
			} else {
				assert.Nil(t, r.Error)
			}
			assert.Equal(t, test.fault != "" && test.text == "", r.Failure != nil)
			if test.fault != "" {
				assert.Equal(t, test.fault, r.TrackMetadataErrorCode)
				assert.Equal(t, "No.", r.TrackMetadataError)
			}
			rows, err := b.store.Library.All(t.Context(), acme)
			require.NoError(t, err)
			assert.Empty(t, rows, "a look is not a save")
		})
	}
}

func TestCaptionsOfMissingAsset(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t)
	sites.captions = refusing(transcript.Unavailable)
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	_, err := b.Ask.Captions(t.Context(), question("en"))
	require.ErrorIs(t, err, transcript.Unavailable)
	_, err = b.Ask.Info(t.Context(), question(""))
	require.ErrorIs(t, err, transcript.Unavailable)
}

// What the platform says to a reader answers everybody after him.
func TestLookupsFillTheCache(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	first, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	out, err := b.Submit(t.Context(), link("v1", "en"))
	require.NoError(t, err)
	require.NotNil(t, out.Result)
	assert.Equal(t, first.Transcript.ID, out.Result.Transcript.ID)
	info, err := b.Ask.Info(t.Context(), question(""))
	require.NoError(t, err)
	assert.Equal(t, []string{"en"}, info.Languages)
	assert.Equal(t, []string{"en"}, info.CachedLanguages)
	assert.Equal(t, 1, sites.questions())
}

func TestEqualLookupsAreOne(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	gate := make(chan struct{})
	sites.captions = func(context.Context, int) error { <-gate; return nil }
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			r, err := b.Ask.Captions(t.Context(), question("en"))
			if assert.NoError(t, err) {
				assert.Equal(t, "success", r.Status)
			}
		})
	}
	close(gate)
	wg.Wait()
	assert.Equal(t, 1, sites.questions())
}

// A reader waits for a slow platform no longer than the budget. A late answer still goes into
// the cache.
func TestSlowPlatform(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	gate := make(chan struct{})
	sites.captions = func(context.Context, int) error { <-gate; return nil }
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites, func(c *service.Config) { c.LookupBudget = briefly })
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	assert.Equal(t, transcript.TracksFailed, r.TrackMetadataStatus)
	require.NotNil(t, r.Failure)
	assert.Equal(t, transcript.UpstreamFailed, r.Failure.Code)
	assert.False(t, r.RequiresAsync)

	close(gate)
	require.Eventually(t, func() bool {
		out, err := b.Submit(t.Context(), link("v1", "en"))
		return assert.NoError(t, err) && out.Result != nil
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, 1, sites.questions())
}

func TestInfo(t *testing.T) {
	t.Parallel()
	poor := plan()
	poor.ASR = false
	for name, test := range map[string]struct {
		change    func(*platforms)
		question  func(*ask.Question)
		cache     [2]string
		err       transcript.Code
		status    transcript.TrackStatus
		available *bool
		languages []string
		cached    []string
		metadata  transcript.MetadataStatus
		why       *transcript.Code
		asked     int
	}{
		"tracks":    {status: "ok", available: new(true), languages: []string{"en", "de"}, metadata: "complete", asked: 1},
		"no tracks": {change: func(p *platforms) { p.tracks = nil }, status: "empty", available: new(false), metadata: "complete", asked: 1},
		"forced only": {change: func(p *platforms) { p.tracks = []transcript.Track{{Lang: "en", Kind: transcript.TrackForced}} },
			status: "ok", metadata: "complete", asked: 1},
		"some metadata": {change: func(p *platforms) { p.metadata.Channel = "" }, status: "ok", available: new(true), languages: []string{"en", "de"}, metadata: "partial", asked: 1},
		"no metadata":   {change: func(p *platforms) { p.metadata = transcript.Metadata{} }, status: "ok", available: new(true), languages: []string{"en", "de"}, metadata: "unavailable", asked: 1},
		"too long":      {change: func(p *platforms) { p.metadata.Duration = 1e6 }, status: "ok", available: new(true), languages: []string{"en", "de"}, metadata: "complete", why: new(transcript.MediaTooLarge), asked: 1},
		"no asr":        {question: func(q *ask.Question) { q.Plan = poor }, status: "ok", available: new(true), languages: []string{"en", "de"}, metadata: "complete", why: new(transcript.UpgradeRequired), asked: 1},
		"known":         {cache: [2]string{"en,fr", "en,asr/de"}, status: "ok", available: new(true), languages: []string{"en", "fr"}, cached: []string{"de", "en"}, metadata: "unavailable"},
		"blocked":       {change: func(p *platforms) { p.captions = refusing(transcript.IPBlocked) }, err: transcript.IPBlocked, asked: 1},
		"blocked, but something is known": {change: func(p *platforms) { p.captions = refusing(transcript.IPBlocked) }, cache: [2]string{"?", "asr/en"},
			status: "failed", cached: []string{"en"}, metadata: "unavailable", asked: 1},
		"no captions there": {question: func(q *ask.Question) { q.Content.Platform = transcript.PhotoSite }, status: "skipped", available: new(false), metadata: "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, manual("en"), auto("en"), manual("de"))
			if test.change != nil {
				test.change(sites)
			}
			b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
			if test.cache[1] != "" {
				b.fill(t, test.cache[0], test.cache[1])
			}
			q := question("")
			if test.question != nil {
				test.question(&q)
			}
			info, err := b.Ask.Info(t.Context(), q)
			assert.Equal(t, test.asked, sites.questions())
			if test.err != "" {
				require.ErrorIs(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "success", info.Status)
			assert.Equal(t, "v1", info.ExternalID)
			assert.Equal(t, q.Content.URL, *info.SourceURL)
			assert.Equal(t, test.status, info.TrackMetadataStatus)
			assert.Equal(t, test.available, info.CaptionAvailable)
			assert.ElementsMatch(t, test.languages, info.Languages)
			assert.NotNil(t, info.Languages)
			assert.NotNil(t, info.Tracks)
			assert.NotNil(t, info.CachedLanguages)
			assert.ElementsMatch(t, test.cached, info.CachedLanguages)
			assert.Equal(t, test.metadata, info.MetadataStatus)
			assert.Equal(t, test.why, info.ASR.Reason)
			assert.Equal(t, test.why == nil, info.ASR.Available)
			if test.metadata == "complete" {
				assert.Equal(t, "A talk", *info.Title)
			}
		})
	}
}

// A source that does not end holds up no stop for longer than it may take.
func TestStopDoesNotWaitForSources(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	asked, gate := make(chan struct{}), make(chan struct{})
	sites.captions = func(context.Context, int) error { close(asked); <-gate; return nil }
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, err := b.Ask.Captions(t.Context(), question("en"))
		assert.Error(t, err)
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.Stop(ctx), context.DeadlineExceeded)
	close(gate)
	require.NoError(t, b.Stop(t.Context()))
	<-answered
}

// TestCaptionsThatWereCutOffAreFree: a process that ends after a text is stored, and
// before it is paid, has answered nobody. Who asks again has the text from the cache, which
// takes nothing of the allowance. A text that the platform was asked for in the answer
// itself is always paid before the answer.
func TestCaptionsThatWereCutOffAreFree(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		b := prepareLinks(t, dbtest.Open(t, o), newPlatforms(t, manual("en")))
		raw := storetest.SQL(t, store.Options(o))
		exec := func(statements ...string) {
			for _, statement := range statements {
				_, err := raw.ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
		}
		// The pay fails, as where the process ends before it.
		if b.store.Shared() {
			exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no'; END$$`,
				`CREATE TRIGGER refuse BEFORE INSERT ON usage EXECUTE FUNCTION refuse()`)
		} else {
			exec(`CREATE TRIGGER refuse BEFORE INSERT ON usage BEGIN SELECT RAISE(ABORT, 'no'); END`)
		}
		_, err := b.Ask.Captions(t.Context(), question("en"))
		require.ErrorContains(t, err, "paying for captions", "nobody gets a text that is not paid")
		if b.store.Shared() {
			exec("DROP TRIGGER refuse ON usage")
		} else {
			exec("DROP TRIGGER refuse")
		}

		used := func() int64 {
			u, err := b.store.Allowances.Usage(t.Context(), acme, limits.PeriodOf(plan(), time.Now()).Start)
			require.NoError(t, err)
			return u.Used.Transcripts
		}
		r, err := b.Ask.Captions(t.Context(), question("en"))
		require.NoError(t, err)
		assert.True(t, r.Cached)
		assert.Zero(t, used())
		other := question("en")
		other.Content.ExternalID = "v2"
		r, err = b.Ask.Captions(t.Context(), other)
		require.NoError(t, err)
		assert.False(t, r.Cached)
		assert.Equal(t, int64(1), used())
	})
}
