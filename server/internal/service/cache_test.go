package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Which cached text answers a list: see docs/guides/languages.md. A text is
// written "en" for captions, "asr/en" for a recognized one; later ones are newer, one with "old "
// before it has expired. Tracks are "?" when they are not known, "old …" when
// what is known has expired.
func TestCachedTextAnswersList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tracks, texts, list, want string
	}{
		// A tag takes the text of the track that the matching rule picks.
		{"en,de", "en,de", "en", "en"},
		{"en,de", "en,de", "de", "de"},
		{"en,de", "en,de", "fr,de", "de"},
		{"en-GB", "en-GB", "en", "en-GB"},
		{"en,en-GB", "en,en-GB", "en-GB,en", "en-GB"},
		{"en,en-GB", "en-GB", "en", ""}, // the better track is not read yet
		{"en,de", "de", "en,de", ""},
		{"zh-TW", "zh-TW", "zh-Hans", ""},
		{"zh-TW", "zh-TW", "zh", "zh-TW"},
		{"en", "en", "", "en"}, // the default

		// Tracks that nobody knows: the first entry, by its exact tag.
		{"?", "en", "en", "en"},
		{"?", "en,de", "de,en", "de"},
		{"?", "en", "de,en", ""},
		{"?", "en-GB", "en", ""},
		{"?", "zh-hant", "zh-Hant", "zh-hant"}, // tags have no case
		{"?", "asr/en", "en", ""},
		{"?", "asr/en", "asr", "asr/en"},
		{"old en", "en", "en", "en"},
		{"old en-GB", "en-GB", "en", ""},

		// Recognized text never answers a tag while a track may exist …
		{"en", "asr/en", "en", ""},
		{"en", "asr/en,en", "en", "en"},
		// … but does when none matches, or none exists.
		{"de", "asr/en", "en", "asr/en"},
		{"de", "asr/en,asr/fr", "en", "asr/fr"},
		{"", "asr/en", "en", "asr/en"},
		{"", "asr/en,asr/fr", "en", "asr/fr"},
		{"", "asr/fr", "en,de", "asr/fr"},

		// Captions never answer an asr entry.
		{"en", "en", "asr", ""},
		{"en", "en,asr/en", "asr", "asr/en"},
		{"en", "asr/en,asr/de", "asr", "asr/de"},
		{"en", "asr/en,asr/de", "asr-en", "asr/en"},
		{"en", "en,asr/de", "asr-en", ""},
		{"en", "asr/de", "asr-de,en", "asr/de"},
		{"de", "de", "asr-en,de", ""}, // what stands after it is not reached
		{"de", "asr/en", "fr,asr-en", "asr/en"},
		{"de", "asr/fr", "en,asr-en", ""},
		{"de", "de,asr/en", "en,asr,de", "asr/en"},
		{"de", "asr/en,asr/fr", "asr-en,asr-fr,asr-en", "asr/en"}, // the first ends the list
		{"de", "de,asr/en", "de,de,asr", "de"},

		// What has expired answers nothing.
		{"en", "old en", "en", ""},
		{"", "old asr/en", "en", ""},
		{"en", "old asr/en,asr/de", "asr-en", ""},
	} {
		t.Run(test.tracks+" | "+test.texts+" | "+test.list, func(t *testing.T) {
			t.Parallel()
			b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t))
			ids := b.fill(t, test.tracks, test.texts)
			out, err := b.Submit(t.Context(), link("v1", test.list))
			require.NoError(t, err)
			got := ""
			if out.Result != nil {
				got = ids[out.Result.Transcript.ID]
				assert.True(t, out.Result.Cached)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A text serves for as long as the plan says: not at all with 0, always with
// account.Unlimited.
func TestTimeToLive(t *testing.T) {
	t.Parallel()
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t))
	b.fill(t, "en", "en")
	for _, test := range []struct {
		ttl    time.Duration
		cached bool
	}{
		{0, false}, {time.Nanosecond, false}, {100 * 365 * 24 * time.Hour, true}, {account.Unlimited, true},
	} {
		s := link("v1", "en")
		s.Plan.CacheTTL = test.ttl
		out, err := b.Submit(t.Context(), s)
		require.NoError(t, err)
		assert.Equal(t, test.cached, out.Result != nil, "%v", test.ttl)
	}
}

// fill puts tracks and texts of the content v1 into the cache and returns what
// each text's id stands for.
func (b *bench) fill(t *testing.T, tracks, texts string) (ids map[string]string) {
	t.Helper()
	old, begin := time.Now().Add(-plan().CacheTTL-time.Hour), time.Now().Add(-time.Hour)
	ids = map[string]string{}
	require.NoError(t, b.store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		for i, name := range strings.Split(texts, ",") {
			at := begin.Add(time.Duration(i) * time.Minute)
			text, expired := strings.CutPrefix(name, "old ")
			if expired {
				at = old
			}
			lang, recognized := strings.CutPrefix(text, "asr/")
			source := transcript.OriginDownloader
			if recognized {
				source = transcript.OriginASR
			}
			id, err := tx.Transcripts.Put(ctx, &db.Transcript{Transcript: transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: "v1", Lang: lang, Source: source,
				Status: transcript.Ready, CreatedAt: transcript.At(at), UpdatedAt: transcript.At(at),
			}, SegmentsJSON: packed.Pack([]byte("[]"))})
			if err != nil {
				return err
			}
			ids[id] = name
		}
		if tracks == "?" {
			return nil
		}
		c := db.Content{Platform: transcript.VideoSite, ExternalID: "v1"}
		langs, expired := strings.CutPrefix(tracks, "old ")
		if expired {
			c.AskedAt = old
		}
		for _, lang := range strings.FieldsFunc(langs, func(r rune) bool { return r == ',' }) {
			c.Tracks = append(c.Tracks, manual(lang))
		}
		return tx.Contents.Put(ctx, &c)
	}))
	return ids
}
