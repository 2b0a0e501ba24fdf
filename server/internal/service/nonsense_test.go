package service_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A source's segments are stored as the API shows them: sorted, from 0 on, with
// text.
func TestSegmentsOfSource(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	nan := math.NaN()
	sites.segments = []transcript.Segment{
		{Text: "third", Start: 5, Duration: -1},
		{Text: " ", Start: 1, Duration: 1},
		{Text: "first", Start: -1, Duration: 3, Words: []transcript.Word{
			{Text: "fir", Start: -1, End: 1}, {Text: "never", Start: nan, End: nan}, {Text: "st", Start: 1, End: 0.5}}},
		{Text: "never", Start: nan, Duration: 1},
		{Text: "never", Start: math.Inf(1), Duration: 1},
		{Text: "fourth", Start: 6, Duration: nan},
		{Text: " second ", Start: 2, Duration: math.Inf(1)},
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
	job := b.succeed(t, link("v1", "en"))
	assert.Equal(t, []transcript.Segment{
		{Text: "first", Start: 0, Duration: 2},
		{Text: "second", Start: 2},
		{Text: "third", Start: 5},
		{Text: "fourth", Start: 6},
	}, segmentsOf(t, job.SegmentsJSON))
	timed, err := b.store.Transcripts.Timed(t.Context(), job.TranscriptRef)
	require.NoError(t, err)
	assert.JSONEq(t, `[[{"text":"fir","start":0,"duration":1},{"text":"st","start":1,"duration":0}],[],[],[]]`, string(plain(t, timed.WordsJSON)))
}

// A source that contradicts itself is not believed: neither that there are no
// captions, nor that a text is in the language asked for.
func TestSourceThatContradictsItself(t *testing.T) {
	t.Parallel()
	en, de := manual("en"), manual("de")
	for name, found := range map[string]engine.Captions{
		"reads nothing":       {Tracks: []transcript.Track{en}},
		"reads another":       {Tracks: []transcript.Track{de, en}, Track: &de},
		"reads what is not":   {Track: &en},
		"reads what none may": {Tracks: []transcript.Track{de}, Track: &de},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t)
			sites.nonsense = &found
			b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
			r, err := b.Ask.Captions(t.Context(), question("en"))
			require.NoError(t, err)
			require.NotNil(t, r.Failure, "%+v", r.CaptionReport)
			assert.Equal(t, transcript.UpstreamFailed, r.Failure.Code)
			shelf, err := b.store.Contents.Shelf(t.Context(), "", acme, transcript.VideoSite, "v1")
			require.NoError(t, err)
			assert.Empty(t, shelf.Texts)
		})
	}
}

// What a platform claims of itself may be nonsense too.
func TestNonsenseMetadata(t *testing.T) {
	t.Parallel()
	years := []int{12000, 0, -1, 12000} // PostgreSQL knows no year 0
	for i, length := range []float64{math.NaN(), -1, math.Inf(1), 1e30} {
		sites := newPlatforms(t, manual("en"))
		sites.metadata = transcript.Metadata{Title: "A\xfftalk", Duration: length, PublishedAt: time.Date(years[i], 1, 1, 0, 0, 0, 0, time.UTC)}
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
		job := b.succeed(t, link("v1", "en"))
		assert.Equal(t, "A\uFFFDtalk", *job.Result.Transcript.Title)
		assert.Nil(t, job.Result.Transcript.DurationSec)
		assert.Nil(t, job.Result.Transcript.PublishedAt)
		assert.Equal(t, transcript.MetadataPartial, job.Result.MetadataStatus)
		job = b.succeed(t, link("v2", "asr"))
		assert.Equal(t, 5, *job.Result.LengthSeconds)
	}
}

// An engine that panics costs a reader his answer, and no more.
func TestPanicOfSource(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	sites.captions = func(context.Context, int) error { panic("out of order") }
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), sites)
	r, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	assert.Equal(t, transcript.Internal, r.Failure.Code)
	sites.set(func(p *platforms) { p.captions = nil })
	r, err = b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	assert.Equal(t, "success", r.Status)
}
