package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// said is a text whose segments begin every four seconds.
func said(externalID, lang string, texts ...string) *db.Transcript {
	segments := make([]transcript.Segment, len(texts))
	for i, text := range texts {
		segments[i] = transcript.Segment{Text: text, Start: float64(i) * 4, Duration: 4}
	}
	return &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: externalID, Lang: lang, Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, segments))}
}

// keep stores texts and puts them into the account's library.
func keep(t testing.TB, s *db.Store, account string, texts ...*db.Transcript) {
	t.Helper()
	for _, text := range texts {
		// The race detector on a busy machine needs longer for a long text than a caller waits.
		require.NoError(t, s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
			id, err := tx.Transcripts.Put(ctx, text)
			if err != nil {
				return err
			}
			return tx.Library.Save(ctx, id, account, "en")
		}))
	}
}

// hits are those of each text that a search finds, by external id, in order.
func hits(t testing.TB, s *db.Store, q db.Search) (found []string) {
	t.Helper()
	var texts []db.SearchFound
	err := s.Snapshot(db.Unhurried(t.Context()), func(ctx context.Context, r db.Reader) (err error) { // the index may move meanwhile
		texts, err = r.Library.Search(ctx, q)
		return err
	})
	require.NoError(t, err)
	names := map[string]string{}
	saved, err := s.Library.All(t.Context(), q.Account)
	require.NoError(t, err)
	for _, row := range saved {
		names[row.ID] = row.ExternalID
	}
	for _, text := range texts {
		found = append(found, fmt.Sprint(names[text.ID], text.At))
	}
	return found
}

func TestSearchLanguages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		keep(t, s, "acme",
			said("de", "de", "Die Straße ist", "schön, Ärger gibt es", "in MÜNCHEN nicht"),
			said("tr", "tr", "İstanbul'da ışık"),
			said("el", "el", "Ο ΟΔΥΣΣΕΥΣ ήταν", "ο Οδυσσέας"),
			said("ar", "ar", "قال مُحَمَّد"), said("he", "he", "אמר שָׁלוֹם", `צה"ל`),
			said("zh", "zh", "我在北京", "大学学习"), said("ja", "ja", "東京タワーへ", "行きましょう"),
			said("th", "th", "ภาษาไทย"), said("ko", "ko", "우리는 학교에서"),
			said("fr", "fr", "L’homme", "dit: «c'est ça»", "son Œuvre, un œuf"), said("da", "da", "Æsir og ærø"), said("en", "en", "the the the", "a cat 🐈 and 3.14"),
		)
		for q, want := range map[string]string{
			"strasse": "de[0]", "STRASSE": "de[0]", "schon": "de[4000]", "munchen": "de[8000]", "Münch*": "de[8000]",
			"istanbul": "tr[0]", "ISTANBUL": "tr[0]", "ışık": "tr[0]", "isik": "tr[0]", "ISIK": "tr[0]",
			"Οδυσσεύς": "el[0]", "οδυσσε*": "el[0 4000]",
			"محمد": "ar[0]", "مُحَمَّد": "ar[0]", "שלום": "he[0]", `צה"ל`: "he[4000]", "צה״ל": "he[4000]",
			"北京": "zh[0]", "北": "zh[0]", "京北": "", "北京大学": "zh[0]", "大学": "zh[4000]",
			"東京タワー": "ja[0]", "タワー": "ja[0]", "ﾀﾜｰ": "ja[0]", "へ行き": "ja[0]",
			"ไทย": "th[0]", "ยไท": "", "학교에서": "ko[0]", "학교": "", "학교*": "ko[0]",
			"oeuvre": "fr[8000]", "œuvre": "fr[8000]", "ŒUF": "fr[8000]", "oe*": "fr[8000]", "aesir": "da[0]", "Æsir": "da[0]", "aero": "", "aerø": "da[0]", "æ*": "da[0]",
			"homme": "fr[0]", "l'homme": "fr[0]", "L’HOMME": "fr[0]", "ca": "fr[4000]",
			"the": "en[0]", "🐈": "en[4000]", "3.14": "en[4000]", "14 3": "en[4000]", `"14 3"`: "",
		} {
			var all []string
			if want != "" {
				all = []string{want}
			}
			assert.Equal(t, all, hits(t, s, db.Search{Account: "acme", Query: search.Parse(q), N: 10}), q)
		}
	})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		long := make([]string, 40) // nearly three minutes
		for i := range long {
			long[i] = "hm"
		}
		long[0], long[7], long[8], long[15], long[39] = "alpha", "beta and gamma", "delta, alpha", "omega", "alphabet"
		keep(t, s, "acme", said("long", "en", long...), said("once", "en", "alpha alpha", "ALPHA"), said("none", "de"), said("latest", "de", "Alpha"))
		keep(t, s, "beta", said("long", "en", long...), said("theirs", "en", "alpha"))
		upload := said("upload", "en", "alpha")
		upload.Platform, upload.Owner = transcript.Upload, "beta"
		keep(t, s, "beta", upload)

		for q, want := range map[string][]string{
			"alpha":                    {"once[0 4000]", "long[0 32000]", "latest[0]"}, // a segment counts once; then the newest
			"alpha*":                   {"long[0 32000 156000]", "once[0 4000]", "latest[0]"},
			"alpha beta":               {"long[0]"},     // 28 s apart; then the words of the hit are used up
			"beta delta":               {"long[28000]"}, // beside each other
			"alphabet delta":           nil,             // too far apart
			"omega beta":               nil,             // 32 s apart
			"omega delta":              {"long[32000]"}, // 28 s apart
			`"gamma delta"`:            {"long[28000]"}, // across segments
			`"gamma del"`:              nil,
			`"gamma del"*`:             {"long[28000]"},
			`"and gamma" alpha`:        {"long[0]"},
			`"gamma and"`:              nil,
			`"alpha alpha"`:            {"once[0]"},
			"alpha missing":            nil,
			"":                         nil,
			`"`:                        nil,
			"*":                        nil,
			"?! -- ()":                 nil,
			`"gamma delta`:             {"long[28000]"}, // not closed
			"alpha AND beta":           {"long[0]"},     // a word like others, which is said here
			"beta OR nothing":          nil,
			"NEAR(beta, delta)":        nil,
			"first_word:alpha":         nil,
			`beta\ 'delta';--`:         {"long[28000]"},
			"\x00beta\x00":             {"long[28000]"},
			"beta^2":                   nil,
			strings.Repeat("long", 50): nil,
		} {
			assert.Equal(t, want, hits(t, s, db.Search{Account: "acme", Query: search.Parse(q), N: 10}), q)
		}
		alpha := db.Search{Account: "acme", Query: search.Parse("alpha"), N: 10, Lang: "de"}
		assert.Equal(t, []string{"latest[0]"}, hits(t, s, alpha))
		alpha.Lang, alpha.Platform = "", string(transcript.Upload)
		assert.Empty(t, hits(t, s, alpha), "another account's upload")
		assert.Equal(t, []string{"long[0 32000]", "upload[0]", "theirs[0]"}, hits(t, s, db.Search{Account: "beta", Query: alpha.Query, N: 10}))
		assert.Empty(t, hits(t, s, db.Search{Account: "gamma", Query: alpha.Query, N: 10}))
	})
}

// TestSearchFollowsTheText: what is made anew is found by its new words only, and what is
// removed not at all.
func TestSearchFollowsTheText(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		find := func(account, q string) []string {
			return hits(t, s, db.Search{Account: account, Query: search.Parse(q), N: 10})
		}
		keep(t, s, "acme", said("v1", "en", "before"))
		keep(t, s, "beta", said("v1", "en", "before", strings.Repeat("many words of a long text ", 500)))
		assert.Equal(t, []string{"v1[0]"}, find("acme", "before"))
		put(t, s, said("v1", "en", "after"))
		assert.Empty(t, find("acme", "before"))
		assert.Equal(t, []string{"v1[0]"}, find("acme", "after"))
		assert.Equal(t, 1, raw.count(t, "search_blocks"))
		raw.exec(t, "UPDATE library_rows SET starred = true")
		assert.Equal(t, []string{"v1[0]"}, find("acme", "after"))

		raw.exec(t, "DELETE FROM library_rows WHERE account = 'acme'")
		assert.Empty(t, find("acme", "after"))
		assert.Equal(t, []string{"v1[0]"}, find("beta", "after"))
		raw.exec(t, "DELETE FROM library_rows")
		deletion := "DELETE FROM transcripts"
		if dialect(o) == goose.DialectSQLite3 {
			deletion = "PRAGMA foreign_keys = 1; " + deletion // as the store itself has it
		}
		raw.exec(t, deletion)
		assert.Zero(t, raw.count(t, "search_blocks"))
	})
}

// TestSearchPages: all pages together are all that is found, in order, none twice, however
// many there are on a page; and both databases find the same, which is what is found by
// looking into the texts themselves.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		accounts := 0
		rapid.Check(t, func(r *rapid.T) {
			accounts++
			account := fmt.Sprint("a", accounts)
			word := rapid.SampledFrom([]string{"a", "b", "bc", "c", "北", "京"})
			texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(word, 0, 3), 0, 12), 0, 24).Draw(r, "texts")
			q := rapid.SampledFrom([]string{"a", "b*", "a b", `"a b"`, `"b a" c`, `a "a b"`, `"a b" a b`, "北京", "a 京", `"c b"*`}).Draw(r, "q")
			want := map[string][]int{}
			for i, words := range texts {
				segments := make([]string, len(words))
				for n := range words {
					segments[n] = strings.Join(words[n], " ")
				}
				text := said(fmt.Sprint(account, "-", i), "en", segments...)
				keep(t, s, account, text)
				if enough := rapid.IntRange(0, 4).Draw(r, "enough"); enough > 0 {
					require.NoError(r, s.BindTexts(t.Context(), account, enough))
				}
				if rapid.IntRange(0, 4).Draw(r, "remove") == 0 {
					removeText(t, s, account, text.ExternalID)
					continue
				}
				if at := slow(q, words); len(at) > 0 {
					want[text.ExternalID] = at
				}
			}
			page := db.Search{Account: account, Query: search.Parse(q), N: rapid.IntRange(1, 3).Draw(r, "N")}
			var all []db.SearchFound
			for {
				found, err := s.Library.Search(t.Context(), page)
				require.NoError(r, err)
				if len(found) == 0 {
					break
				}
				all = append(all, found...)
				page.After = &all[len(all)-1].Place
			}
			require.Len(r, all, len(want))
			require.True(r, slices.IsSortedFunc(all, func(a, b db.SearchFound) int { return b.Hits - a.Hits }))
			saved, err := s.Library.All(t.Context(), account)
			require.NoError(r, err)
			for _, row := range saved {
				i := slices.IndexFunc(all, func(f db.SearchFound) bool { return f.ID == row.ID })
				if at := want[row.ExternalID]; i < 0 || at == nil {
					require.Empty(r, at)
					require.Negative(r, i)
				} else {
					require.Len(r, at, all[i].Hits)
					require.Equal(r, at[:min(5, len(at))], all[i].At)
				}
			}
		})
	})
}

// slow looks for the query in the words of segments, one after the other.
func slow(q string, segments [][]string) (at []int) {
	var words []string
	var starts []int
	for n, segment := range segments {
		for _, word := range segment {
			words, starts = append(words, word), append(starts, n*4000)
		}
	}
	type part struct {
		words  []string
		prefix bool
	}
	var parts []part
	for i, piece := range strings.Split(q, `"`) {
		quoted := i%2 == 1
		switch prefix := strings.HasSuffix(q, "*"); {
		case piece == "" || piece == "*":
		case quoted:
			parts = append(parts, part{strings.Fields(piece), prefix})
		default:
			for _, word := range strings.Fields(strings.TrimSuffix(piece, "*")) {
				split := []string{word}
				if word == "北京" {
					split = []string{"北", "京"}
				}
				parts = append(parts, part{split, prefix})
			}
		}
	}
	stands := func(p part, i int) bool {
		for n, word := range p.words {
			last := p.prefix && n == len(p.words)-1
			if i+n >= len(words) || words[i+n] != word && (!last || !strings.HasPrefix(words[i+n], word)) {
				return false
			}
		}
		return true
	}
	latest := make([]int, len(parts))
	reset := func() {
		for i := range latest {
			latest[i] = -1
		}
	}
	reset()
	for i := range words {
		for n, p := range parts {
			if !stands(p, i) {
				continue
			}
			latest[n] = i
			if first := slices.Min(latest); first >= 0 && starts[i]-starts[first] <= 30_000 {
				if !slices.Contains(at, starts[first]) {
					at = append(at, starts[first])
				}
				reset()
			}
		}
	}
	return at
}
