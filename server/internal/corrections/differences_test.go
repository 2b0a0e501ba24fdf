package corrections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// talk is a text with a number of lines, of which each has words.
func talk(n int) []transcript.Segment {
	r, lines := rand.New(rand.NewPCG(1, uint64(n))), make([]transcript.Segment, n) //nolint:gosec // a text that can be made again
	for i := range lines {
		at := float64(i) * 2.5
		lines[i] = transcript.Segment{Text: fmt.Sprintf("say%d thing%d", r.IntN(1000), r.IntN(1000)), Start: at, Duration: 2.5}
		lines[i].Words = []transcript.Word{{Text: "say", Start: at, End: at + 1}, {Text: "thing", Start: at + 1, End: at + 2}}
	}
	return lines
}

// stored returns how many bytes the database has of the revisions of a text.
func stored(t *testing.T, s *db.Store) (n int64) {
	t.Helper()
	require.NoError(t, s.SQL().Reader().NewRaw("SELECT sum(length(segments) + coalesce(length(words), 0)) FROM revisions").Scan(t.Context(), &n))
	return n
}

// exported returns the revisions of the export of an account.
func exported(t *testing.T, s *db.Store, account string) (rows []map[string]any) {
	t.Helper()
	require.NoError(t, s.Snapshot(db.Unhurried(t.Context()), func(ctx context.Context, r db.Reader) error {
		return corrections.Tables()[0].Rows(ctx, r.DB(), account, func(row map[string]any) error {
			rows = append(rows, row)
			return nil
		})
	}))
	return rows
}

// TestRevisionsAreDifferences corrects a large text more often than the history has revisions, and
// restores and imports texts between. Each revision reads as it was made, the export has the same
// texts, and all of the history takes less than four whole texts.
func TestRevisionsAreDifferences(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const steps = corrections.MaxRevisions + 20
		ctx, texts := db.Unhurried(t.Context()), corrections.New(s)
		put(t, s, "", "v1", talk(1200), "acme")
		of, r := library.Key{Platform: transcript.VideoSite, ExternalID: "v1", Language: "en"}, rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a walk that can be repeated
		made := map[int][2]string{}
		note := func(text *corrections.Text) {
			made[text.Revision] = plain(t, text)
		}
		first, err := texts.Revision(ctx, "acme", of, 1)
		require.NoError(t, err)
		note(first)
		for step := range steps {
			now := len(made)
			var text *corrections.Text
			switch {
			case step%20 == 19:
				text, err = texts.Restore(ctx, owner("acme"), of, anyText, now-1-r.IntN(10))
			case step == 30:
				text, err = texts.Edit(ctx, owner("acme"), of, anyText, library.Edit{Segments: []library.SegmentEdit{{Index: 3, Speaker: new("Ada")}}})
			default:
				said := fmt.Sprint("corrected thing", step)
				text, err = texts.Edit(ctx, owner("acme"), of, anyText, library.Edit{Segments: []library.SegmentEdit{{Index: r.IntN(1200), Text: &said}}})
			}
			require.NoError(t, err)
			require.Equal(t, now+1, text.Revision)
			note(text)
		}
		all, err := texts.Revisions(ctx, "acme", of)
		require.NoError(t, err)
		require.Len(t, all, corrections.MaxRevisions+1)
		for _, one := range all {
			text, err := texts.Revision(ctx, "acme", of, one.Number)
			require.NoError(t, err)
			require.Equal(t, made[one.Number], plain(t, text), "revision %d", one.Number)
		}
		rows := exported(t, s, "acme")
		require.Len(t, rows, len(all))
		for _, row := range rows {
			want := made[int(row["number"].(int64))]
			require.Equal(t, want, [2]string{string(row["segments"].(json.RawMessage)), string(row["words"].(json.RawMessage))})
		}
		whole := len(first.SegmentsJSON.Gzip()) + len(first.WordsJSON.Gzip())
		require.Less(t, stored(t, s), int64(4*whole), "a whole text has %d bytes", whole)
		requireCounted(t, s)
	})
}

// plain is the lines and the words of a text, as JSON.
func plain(t *testing.T, text *corrections.Text) [2]string {
	t.Helper()
	segments, err := text.SegmentsJSON.Plain()
	require.NoError(t, err)
	words, err := text.WordsJSON.Plain()
	require.NoError(t, err)
	return [2]string{string(segments), string(words)}
}
