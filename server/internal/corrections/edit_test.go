package corrections_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var anyText = corrections.Expected{Is: func(*corrections.Text) bool { return true }}

// revision expects a revision by its number alone.
func revision(n int) corrections.Expected {
	return corrections.Expected{Revision: n, Is: func(t *corrections.Text) bool { return t.Revision == n }}
}

// owner is an account on a plan without a bound of its own.
func owner(name string) account.Principal { return account.Principal{Account: name} }

// put stores a text and saves it for accounts.
func put(t *testing.T, s *db.Store, owner, externalID string, lines []transcript.Segment, accounts ...string) (id string) {
	t.Helper()
	text := &db.Transcript{Owner: owner, Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: externalID, Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, lines)), WordsJSON: packed.Pack(wire.AppendWords(nil, lines))}
	require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
		id, err = tx.Transcripts.Put(ctx, text)
		for _, account := range accounts {
			err = errors.Join(err, tx.Library.Save(ctx, id, account, ""))
		}
		return err
	}))
	return id
}

func TestSpeakersChangePlaces(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		lines := []transcript.Segment{{Text: "a", Speaker: "A"}, {Text: "b", Speaker: "B"}, {Text: "c", Speaker: "A"}, {Text: "d"}}
		put(t, s, "", "v1", lines, "acme")
		of := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}
		edited, err := corrections.New(s).Edit(t.Context(), owner("acme"), of, anyText, library.Edit{
			Speakers: map[string]string{"A": "B", "B": " A "}, Segments: []library.SegmentEdit{{Index: 2, Speaker: new("Ada")}},
		})
		require.NoError(t, err)
		whole, err := edited.Whole()
		require.NoError(t, err)
		var speakers []string
		for _, line := range whole.Segments {
			speakers = append(speakers, line.Speaker)
		}
		assert.Equal(t, []string{"B", "A", "Ada", ""}, speakers)
		all, err := corrections.New(s).Revisions(t.Context(), "acme", of)
		require.NoError(t, err)
		assert.Equal(t, 3, all[0].Changed)
	})
}

// A shared text that is made again is another revision for those who have not corrected it, so
// that an edit by the number alone does not hit another text.
func TestSharedTextIsMadeAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		put(t, s, "", "v1", []transcript.Segment{{Text: "first"}}, "acme", "beta")
		of, texts := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}, corrections.New(s)
		edit := func(account string, n int, text string) error {
			_, err := texts.Edit(t.Context(), owner(account), of, revision(n), library.Edit{Segments: []library.SegmentEdit{{Text: &text}}})
			return err
		}
		require.NoError(t, edit("acme", 1, "acme's"))
		put(t, s, "", "v1", []transcript.Segment{{Text: "second"}}, "acme")
		put(t, s, "", "v1", []transcript.Segment{{Text: "second"}}, "acme")
		for account, want := range map[string]int{"acme": 2, "beta": 2} {
			saved, err := s.Library.Saved(t.Context(), account, of)
			require.NoError(t, err)
			assert.Equal(t, want, saved.Revision, account)
		}
		refused := new(transcript.Error)
		require.ErrorAs(t, edit("beta", 1, "beta's"), &refused)
		assert.Equal(t, http.StatusPreconditionFailed, refused.HTTPStatus())
		require.NoError(t, edit("beta", 2, "beta's"))
		all, err := texts.Revisions(t.Context(), "beta", of)
		require.NoError(t, err)
		assert.Equal(t, []int{3, 2}, []int{all[0].Number, all[1].Number})
		old, err := texts.Revision(t.Context(), "beta", of, 2)
		require.NoError(t, err)
		whole, err := old.Whole()
		require.NoError(t, err)
		assert.Equal(t, "second", whole.Segments[0].Text)
	})
}

// The text of an upload stays as it was heard, for the same file sent again, as long as there is
// a corrected copy.
func TestOwnTextIsCorrected(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		id := put(t, s, "acme", "v1", []transcript.Segment{{Text: "heard"}}, "acme")
		of, texts := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}, corrections.New(s)
		_, err := texts.Edit(t.Context(), owner("acme"), of, anyText, library.Edit{Segments: []library.SegmentEdit{{Text: new("corrected")}}})
		require.NoError(t, err)
		shelf, err := s.Contents.Shelf(t.Context(), "acme", "acme", transcript.VideoSite, "v1")
		require.NoError(t, err)
		require.Len(t, shelf.Texts, 1)
		assert.Equal(t, id, shelf.Texts[0].ID)
		assert.True(t, shelf.Texts[0].Saved, "a request need not save it again")
		put(t, s, "acme", "v1", []transcript.Segment{{Text: "heard again"}}, "acme")
		row, err := s.Library.Row(t.Context(), "acme", of)
		require.NoError(t, err)
		assert.NotEqual(t, id, row.TranscriptID)
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.Library.Remove(ctx, "acme", of) }))
		for _, gone := range []string{id, row.TranscriptID} {
			_, err := s.Transcripts.ByID(t.Context(), gone)
			require.ErrorIs(t, err, db.ErrNotFound)
		}
	})
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		put(t, s, "", "v1", []transcript.Segment{{Text: "first"}}, "acme")
		of, texts := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}, corrections.New(s)
		const edits = corrections.MaxRevisions + 5
		for i := range edits {
			_, err := texts.Edit(t.Context(), owner("acme"), of, revision(i+1), library.Edit{Segments: []library.SegmentEdit{{Text: new(fmt.Sprint(i))}}})
			require.NoError(t, err)
		}
		all, err := texts.Revisions(t.Context(), "acme", of)
		require.NoError(t, err)
		require.Len(t, all, corrections.MaxRevisions+1)
		assert.Equal(t, []int{edits + 1, edits - corrections.MaxRevisions + 2, 1}, []int{all[0].Number, all[corrections.MaxRevisions-1].Number, all[corrections.MaxRevisions].Number})
		_, err = texts.Revision(t.Context(), "acme", of, 2)
		require.ErrorIs(t, err, transcript.NotFound)
		_, err = texts.Revisions(t.Context(), "beta", of)
		require.ErrorIs(t, err, transcript.NoTranscript)
	})
	large := corrections.Size{Bytes: 9 << 20}
	var sizes []corrections.Size
	for n := range 5 {
		large.Number = 5 - n
		sizes = append(sizes, large)
	}
	assert.Equal(t, []int{3, 2}, corrections.Surplus(sizes), "the last two and the first stay, however large")
}

// TestWordsOfACorrectedLine gives each word of the new text a time within the line, in order, and
// leaves the times of words that stay.
func TestWordsOfACorrectedLine(t *testing.T) {
	t.Parallel()
	words := func(text string) (all []transcript.Word) {
		for i, word := range strings.Fields(text) {
			all = append(all, transcript.Word{Text: word, Start: float64(i), End: float64(i) + 0.5, Confidence: 0.9})
		}
		return all
	}
	line := transcript.Segment{Text: "so we went down", Start: 0, Duration: 4, Words: words("so we went down")}
	for text, want := range map[string][]float64{
		"so we went down":      {0, 1, 2, 3},
		"So we went down":      {0, 1, 2, 3},
		"so we all went down":  {0, 1, 1.5, 2, 3},
		"so down":              {0, 3},
		"and so we went":       {0, 0, 1, 2},
		"we went down to them": {1, 2, 3, 3.5, 3.75},
		"other":                {0},
	} {
		var starts []float64
		for _, word := range corrections.Retime(line, text) {
			starts = append(starts, word.Start)
		}
		assert.Equal(t, want, starts, text)
	}
	assert.Nil(t, corrections.Retime(transcript.Segment{Text: "我们去了", Words: words("我们 去了")}, "我们"), "no spaces between the words")
	long := strings.Repeat("a b ", 400)
	assert.Len(t, corrections.Retime(transcript.Segment{Text: long, Words: words(long)}, "x "+long+"y"), 802)
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 12)
		old, fresh := strings.Join(some.Draw(t, "old"), " "), strings.Join(some.Draw(t, "fresh"), " ")
		line := transcript.Segment{Text: old, Duration: 12, Words: words(old)}
		now := corrections.Retime(line, fresh)
		var said []string
		end := 0.0
		for _, word := range now {
			said = append(said, word.Text)
			require.GreaterOrEqual(t, word.Start, end-1e-9)
			require.GreaterOrEqual(t, word.End, word.Start)
			end = word.End
		}
		require.Equal(t, fresh, strings.Join(said, " "))
		require.LessOrEqual(t, end, 12+1e-9)
	})
}
