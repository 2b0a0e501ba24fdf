package labels_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestClean(t *testing.T) {
	t.Parallel()
	clean, err := labels.Clean(library.Label{Title: new(" <b>Über</b> שלום "), Tags: []string{" Work", "work ", "WORK", "Straße", "STRASSE", "कु", "की"}})
	require.NoError(t, err)
	assert.Equal(t, library.Label{Title: new("<b>Über</b> שלום"), Tags: []string{"Work", "Straße", "कु", "की"}}, clean)
	for _, bad := range []string{" \t", "a\x00b", "a\nb", "a\u2028b", "a\u202eb", "\u2066a"} {
		_, err := labels.Clean(library.Label{Title: &bad})
		require.ErrorIs(t, err, transcript.InvalidRequest, "%q", bad)
		_, err = labels.Clean(library.Label{Tags: []string{"a", bad}})
		require.ErrorIs(t, err, transcript.InvalidRequest, "%q", bad)
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	words := strings.TrimSpace(strings.Repeat("twelve chars ", 10))
	for want, texts := range map[string][]string{
		"": {}, "Hello, all of you.": {" \n", "Hello,\nall of\tyou.", "More."},
		words[:77] + "…":                          {words},
		strings.Repeat("字", 79) + "…":             {strings.Repeat("字", 200)},
		strings.Repeat("a", 80):                   {strings.Repeat("a", 80)},
		"A long line that ends the beginning of…": nil,
	} {
		if texts == nil {
			continue
		}
		var segments []transcript.Segment
		for _, text := range texts {
			segments = append(segments, transcript.Segment{Text: text})
		}
		stored := packed.Pack(wire.AppendSegments(nil, append(segments, transcript.Segment{Text: strings.Repeat("x", 1<<20)}))).Gzip()
		if len(texts) == 0 {
			stored = packed.Pack([]byte("[]")).Gzip()
		}
		assert.Equal(t, want, labels.FirstLine(stored[:min(len(stored), labels.BytesOfBeginning)]), "%.40q", texts)
	}
	var random bytes.Buffer
	z := gzip.NewWriter(&random)
	_, _ = io.WriteString(z, `[{"text":"cut`)
	require.NoError(t, z.Close())
	assert.Empty(t, labels.FirstLine(random.Bytes()), "a segment that does not end")
	assert.Empty(t, labels.FirstLine(nil))
}

func text(id, lang string, title *string) *db.Transcript {
	return &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: id, Lang: lang, Title: title, Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, []transcript.Segment{{Text: "first"}}))}
}

// The title and the tags are those of all rows of a content: of those that come later, and of texts that
// are made again. They go with the last row.
func TestLabelOfAContent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		do := func(fn func(ctx context.Context, tx *db.Tx) error) {
			t.Helper()
			require.NoError(t, s.InTx(t.Context(), fn))
		}
		save := func(account string, text *db.Transcript) {
			t.Helper()
			do(func(ctx context.Context, tx *db.Tx) error {
				id, err := tx.Transcripts.Put(ctx, text)
				return errors.Join(err, tx.Library.Save(ctx, id, account, ""))
			})
		}
		key := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}
		set := func(change library.Label) {
			t.Helper()
			do(func(ctx context.Context, tx *db.Tx) error {
				return errors.Join(tx.Library.LockTexts(ctx, key.Platform, key.ExternalID), labels.Set(ctx, tx.SQL(), "acme", key, change))
			})
		}
		found := func(account, q string, tags ...string) (all []string) {
			t.Helper()
			page, err := s.Library.Page(t.Context(), account, library.Query{View: library.All, Q: q, Tags: tags, Sort: library.Title, Page: 1, PageSize: 10})
			require.NoError(t, err)
			require.Len(t, page.Transcripts, page.Total)
			for _, item := range page.Transcripts {
				all = append(all, item.Lang+" "+*item.Title+" "+strings.Join(item.Tags, ","))
			}
			return all
		}

		for _, account := range []string{"acme", "globex"} {
			save(account, text("v1", "en", new("Made")))
			save(account, text("v2", "en", new("Needle")))
		}
		set(library.Label{Title: new("Über Ähren"), Tags: []string{"Work", "50%_\\'\""}})
		save("acme", text("v1", "de", new("Gemacht")))
		save("acme", text("v1", "en", new("Made again")))
		saved, err := s.Library.Saved(t.Context(), "acme", key)
		require.NoError(t, err)
		assert.Equal(t, labels.Label{Title: "Über Ähren", Tags: []string{"Work", "50%_\\'\""}}, saved.Label)
		both := []string{"en Über Ähren Work,50%_\\'\"", "de Über Ähren Work,50%_\\'\""}
		assert.Equal(t, append([]string{"en Needle "}, both...), found("acme", ""), "sorted by the account's titles")
		assert.Equal(t, []string{"en Made again ", "en Needle "}, found("globex", ""))
		assert.ElementsMatch(t, both, found("acme", "uber ahren"))
		assert.Empty(t, found("acme", "made"))
		assert.ElementsMatch(t, both, found("acme", "", "wORK", "50%_\\'\""))
		for _, tags := range [][]string{{"wor"}, {"Work", "other"}, {"%"}, {"\n"}} {
			assert.Empty(t, found("acme", "", tags...), "%q", tags)
		}
		assert.Empty(t, found("globex", "", "Work"))

		set(library.Label{Tags: []string{}})
		assert.Equal(t, []string{"en Über Ähren "}, found("acme", "")[1:2], "the title stays")
		set(library.Label{Title: new(""), Tags: []string{"x"}})
		assert.Equal(t, []string{"de Gemacht x", "en Made again x", "en Needle "}, found("acme", ""))

		count := func() (n int) {
			require.NoError(t, s.SQL().Reader().NewRaw("SELECT count(*) FROM labels").Scan(t.Context(), &n))
			return n
		}
		for _, left := range []struct {
			lang   string
			labels int
		}{{"de", 1}, {"en", 0}} {
			do(func(ctx context.Context, tx *db.Tx) error {
				return tx.Library.Remove(ctx, "acme", library.Key{Platform: key.Platform, ExternalID: "v1", Language: left.lang})
			})
			assert.Equal(t, left.labels, count())
		}
	})
}
