package language_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xlanguage "golang.org/x/text/language"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// trackList reads "en de:auto fr:forced": tracks are made by people unless
// they say otherwise. An empty tag is written as "-".
func trackList(s string) []transcript.Track {
	var tracks []transcript.Track
	for _, field := range strings.Fields(s) {
		lang, kind, ok := strings.Cut(field, ":")
		if !ok {
			kind = string(transcript.TrackManual)
		}
		if lang == "-" {
			lang = ""
		}
		tracks = append(tracks, transcript.Track{Lang: lang, Kind: transcript.TrackKind(kind)})
	}
	return tracks
}

func TestMatchTrack(t *testing.T) {
	t.Parallel()
	const none = -1
	for _, test := range []struct {
		want, tracks string
		n            int
	}{
		// The four steps.
		{"en", "", none},
		{"en", "en", 0},
		{"en", "de fr", none},
		{"en", "de en fr", 1},
		{"EN", "de en", 1},
		{"en", "en:auto en", 1},
		{"en", "en-GB en:auto en", 2},
		{"en", "en-GB en:auto", 1},
		{"en", "en-GB:auto en-AU", 1},
		{"en", "de en-GB:auto", 1},
		{"en", "en-GB", 0},
		{"en", "en-GB en-US", 0}, // the platform's order
		{"en", "en en", 0},
		{"en-US", "en-GB en", 1},
		{"en-US", "en-GB en-AU", 0},
		{"en-US", "en-GB en:auto", 0},
		{"en-US", "en-GB:auto en:auto", 1},
		{"en-US", "en en-US:auto", 1},
		{"en-us", "en en-US", 1},
		{"en-US", "de-US", none},
		{"es", "es-419", 0},
		{"es-MX", "es-ES es-419 es", 2},
		{"es-419", "es-ES", 0},
		{"de-CH-1996", "de-AT de", 1},
		{"de", "de-u-co-phonebk", 0},

		// Forced tracks hold no transcript.
		{"en", "en:forced", none},
		{"en", "en:forced en-GB:auto", 1},
		{"en", "en:other", none},

		// Portuguese of two countries.
		{"pt", "pt-BR pt-PT", 0},
		{"pt", "pt-PT pt-BR:auto", 0},
		{"pt-BR", "pt-PT pt", 1},
		{"pt-BR", "pt-PT", 0},
		{"pt-PT", "pt-BR:auto", 0},
		{"pt-BR", "pt pt-BR:auto", 1},

		// Old and new codes for one language.
		{"iw", "he", 0},
		{"he", "iw", 0},
		{"he", "iw he", 1},
		{"he", "iw he:auto", 0},
		{"he-IL", "iw", 0},
		{"in", "id", 0},
		{"id", "in:auto", 0},
		{"ji", "yi", 0},
		{"jv", "jw", 0},
		{"tl", "fil", 0},
		{"fil", "tl", 0},
		{"mo", "ro", 0},
		{"ro", "mo", 0},
		{"ro", "mo ro:auto", 1},
		{"eng", "en", 0},
		{"en", "en_US", 0},
		{"cmn-Hans", "zh-Hans", 0},
		{"arb", "ar", 0},

		// Norwegian: the macro language is its bokmål, not its nynorsk.
		{"no", "nb", 0},
		{"nb", "no", 0},
		{"nb", "no:auto nb", 1},
		{"nb-NO", "nn-NO no", 1},
		{"no", "nn", none},
		{"nn", "no nb", none},
		{"no", "nb:auto da", 0},

		// Chinese: the script decides.
		{"zh", "zh-Hant zh-Hans", 1},
		{"zh", "zh-TW zh-CN", 1},
		{"zh", "zh-TW", 0},
		{"zh", "zh-TW zh-Hans:auto", 0}, // people before the likely script
		{"zh", "zh-TW:auto zh-CN:auto", 1},
		{"zh", "yue", none},
		{"zh-Hans", "zh-TW", none},
		{"zh-Hans", "zh-Hant zh", 1},
		{"zh-Hans", "zh-HK zh-SG", 1},
		{"zh-Hant", "zh", none},
		{"zh-Hant", "zh-HK", 0},
		{"zh-TW", "zh", none},
		{"zh-TW", "zh-Hans zh-CN", none},
		{"zh-TW", "zh-HK zh-Hant", 1},
		{"zh-TW", "zh-Hant-TW", 0},
		{"zh-CN", "zh", 0},
		{"zh-CN", "zh-Hant zh-Hans:auto", 1},
		{"zh-HK", "zh-Hans zh-TW", 1},

		// Serbian, and others that are written in two scripts.
		{"sr", "sr-Latn", 0},
		{"sr", "sr-Latn sr-Cyrl", 1},
		{"sr-Latn", "sr", none},
		{"sr-Latn", "sr sr-ME", 1}, // Montenegro writes Latin
		{"sr-Cyrl", "sr-Latn sr", 1},
		{"sr-RS", "sr-Latn", none},
		{"sr-RS", "sr", 0},
		{"sh", "sr", none},
		{"sh", "sr-Latn", 0},
		{"sr-Latn", "sh:auto", 0},
		{"uz", "uz-AF uz-Latn", 1},
		{"pa", "pa-PK", 0},
		{"pa-IN", "pa-PK", none},
		{"en", "en-Shaw en-Latn", 1},
		{"en-Latn", "en-Shaw", none},
		{"en-Latn", "en", 0},

		// What is no language tag is only itself.
		{"en", "en-orig:auto", none},
		{"en-orig", "en-orig:auto en", 0},
		{"EN-Orig", "en en-orig:auto", 1},
		{"en-orig", "en", none},
		{"en", "- und a.en en-nP7-2PuUl7o", none},
		{"en", "a.en en-orig en-GB", 2},
		{"", "-", 0},
		{"", "en und", none},
		{"und", "en", none},
		{"und", "en und:auto", 1},
		{"und-US", "en-US", none},
		{"xx", "xx:auto", 0},
		{"xx", "yy und", none},
		{"x-en", "en", none},
		{"x-a", "x-b", none},
		{"x-a", "x-A:auto", 0},
		{"\xff", "\xff", 0},
	} {
		n, ok := language.MatchTrack(test.want, trackList(test.tracks))
		if test.n == none {
			assert.False(t, ok, "%q of %q: took track %d", test.want, test.tracks, n)
			assert.Zero(t, n)
			continue
		}
		assert.True(t, ok, "%q of %q", test.want, test.tracks)
		assert.Equal(t, test.n, n, "%q of %q", test.want, test.tracks)
	}
}

// A track in another language or script is never taken, an exact one never
// passed over, and the same question has the same answer.
func TestMatchTrackKeepsLanguageAndScript(t *testing.T) {
	t.Parallel()
	tags := rapid.OneOf(
		rapid.SampledFrom([]string{"zh", "zh-Hans", "zh-Hant", "zh-TW", "zh-CN", "zh-HK", "sr", "sr-Latn", "sr-ME", "sr-Cyrl",
			"en", "en-US", "en-GB", "pt", "pt-BR", "iw", "he", "no", "nb", "nn", "und", "", "en-orig", "a.en", "uz", "uz-AF", "az-IR", "az"}),
		rapid.StringMatching(`[a-z]{2,3}(-(Latn|Cyrl|Arab|Hans))?(-[A-Z]{2})?`),
		rapid.String(),
	)
	kinds := rapid.SampledFrom([]transcript.TrackKind{transcript.TrackManual, transcript.TrackAuto, transcript.TrackForced})
	rapid.Check(t, func(t *rapid.T) {
		want := tags.Draw(t, "want")
		tracks := rapid.SliceOf(rapid.Custom(func(t *rapid.T) transcript.Track {
			return transcript.Track{Lang: tags.Draw(t, "lang"), Kind: kinds.Draw(t, "kind")}
		})).Draw(t, "tracks")

		n, ok := language.MatchTrack(want, tracks)
		again, okAgain := language.MatchTrack(want, tracks)
		require.Equal(t, ok, okAgain)
		require.Equal(t, n, again)
		if !ok {
			for _, track := range tracks {
				require.False(t, track.Kind != transcript.TrackForced && strings.EqualFold(track.Lang, want), "an exact track")
			}
			return
		}
		got := tracks[n]
		require.NotEqual(t, transcript.TrackForced, got.Kind)
		if strings.EqualFold(got.Lang, want) {
			return
		}
		macro := xlanguage.Deprecated | xlanguage.Legacy | xlanguage.Macro
		w, err := macro.Parse(want)
		require.NoError(t, err)
		g, err := macro.Parse(got.Lang)
		require.NoError(t, err)
		wantBase, _ := w.Base()
		gotBase, _ := g.Base()
		require.Equal(t, wantBase, gotBase, "primary language")
		wantScript, named := w.Script()
		gotScript, _ := g.Script()
		_, region := w.Region()
		if named == xlanguage.Exact || region == xlanguage.Exact {
			require.Equal(t, wantScript, gotScript, "script")
		}
	})
}

func BenchmarkMatchTrack(b *testing.B) {
	tracks := trackList("ar:auto de en:auto en-GB es-419 fr iw ja ko nb pt-BR ru sr-Latn zh-Hans zh-TW")
	for _, bench := range []struct{ name, want string }{{"exact", "zh-TW"}, {"primary", "pt"}, {"none", "it"}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				language.MatchTrack(bench.want, tracks)
			}
		})
	}
}
