package db_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// everything is a query that lists all rows of a library on one page.
func everything(change ...func(*library.Query)) library.Query {
	q := library.Query{View: library.History, Sort: library.Recent, Page: 1, PageSize: 100}
	for _, c := range change {
		c(&q)
	}
	return q
}

func page(t *testing.T, s *db.Store, account string, q library.Query) *library.Page {
	t.Helper()
	p, err := s.Library.Page(t.Context(), account, q)
	require.NoError(t, err)
	return p
}

func titles(p *library.Page) []string {
	all := []string{}
	for _, item := range p.Transcripts {
		if item.Title == nil {
			all = append(all, "-")
			continue
		}
		all = append(all, *item.Title)
	}
	return all
}

// saved stores a text and puts it into the library of an account.
func saved(t *testing.T, s *db.Store, account string, text transcript.Transcript) string {
	t.Helper()
	text.Source, text.Status = transcript.OriginDownloader, transcript.Ready
	id := put(t, s, &db.Transcript{Transcript: text, Duration: 61.5, SegmentsJSON: packed.Pack([]byte(`[{"text":"two words","start":0,"duration":1}]`))})
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, id, account, "")) })
	return id
}

// What is searched and sorted by stands in no database's own order: the answers are the
// same on both.
func TestLibraryTitles(t *testing.T) {
	t.Parallel()
	sorted := []string{ // folded, by code points
		"!important", "10 things", "100% Go_lang", "Äpfel", "apple", "APPLE pie", "ß", "zebra", "Zürich", "Ωmega",
		"שלום עולם", "مرحبا بالعالم", "한국어", "你好世界", "日本語の字幕", "😀 emoji", "two words", // what has none comes last, with its first line
	}
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		for i, title := range slices.Backward(sorted) {
			text := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("v%d", i), Lang: "en", Channel: new("Çhannel")}
			if title != "two words" {
				text.Title = &title
			}
			saved(t, s, "acme", text)
		}
		saved(t, s, "beta", transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "b", Lang: "fr", Title: new("apple of another")})

		byTitle := everything(func(q *library.Query) { q.Sort = library.Title })
		assert.Equal(t, sorted, titles(page(t, s, "acme", byTitle)))

		for q, want := range map[string][]string{
			"APPLE":         {"apple", "APPLE pie"},
			"apfel":         {"Äpfel"},
			"ÄPFEL":         {"Äpfel"},
			"strasse":       {},
			"ss":            {"ß"},
			"%":             {"100% Go_lang"},
			"_":             {"100% Go_lang"},
			"o_l":           {"100% Go_lang"},
			"1%":            {},
			"!":             {"!important"},
			`\`:             {},
			"ab\\":          {},
			"'":             {},
			`" OR 1=1 --`:   {},
			"go":            {"100% Go_lang"},
			"世界":            {"你好世界"},
			"字幕":            {"日本語の字幕"},
			"한국":            {"한국어"},
			"😀":             {"😀 emoji"},
			"עולם":          {"שלום עולם"},
			"zz":            {},
			"a\x00pple":     {"apple", "APPLE pie"},
			"CHANNEL":       sorted,
			"channel\u0327": sorted,
		} {
			found := page(t, s, "acme", everything(func(query *library.Query) { query.Q = q }))
			assert.ElementsMatch(t, want, titles(found), "%q", q)
			assert.Equal(t, len(want), found.Total, "%q", q)
		}
	})
}

// The row of what has failed outlives its job, and names it no more.
func TestRowOfAForgottenJob(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		_, err := raw.ExecContext(t.Context(), `INSERT INTO library_rows (id, account, kind, platform, external_id, lang, languages, job_id, error_code,
			starred, created_at, updated_at) VALUES ('1', 'acme', 'failed', 'video_site', 'v1', 'en', 'en', 'j1', 'UNAVAILABLE', false, '2026-01-02', '2026-01-02')`)
		require.NoError(t, err)
		rows := page(t, s, "acme", everything()).Transcripts
		require.Len(t, rows, 1)
		assert.Equal(t, []string{"", "failed"}, []string{rows[0].JobID, rows[0].JobStatus})
		assert.Equal(t, transcript.Unavailable, *rows[0].ErrorCode)
	})
}
