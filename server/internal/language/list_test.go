package language_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The first entry that the recognizer knows is what it is asked for.
func TestRecognizeAs(t *testing.T) {
	t.Parallel()
	known := []string{"en", "no", "he", "zh"}
	for in, want := range map[string]string{
		"de,en": "en", "en,de": "en", "de,asr-en-GB,en": "en-GB", "de,asr": "", "asr,en": "", "nb": "nb", "asr-iw": "iw",
		"fr,cmn-Hans": "cmn-Hans", "de": "none", "asr-de,fr": "none", "nn": "none", "xx,x-wish": "none",
	} {
		list, err := transcript.ParseLanguageList(in)
		require.NoError(t, err)
		tag, ok := language.RecognizeAs(list, known)
		if !ok {
			tag = "none"
		}
		assert.Equal(t, want, tag, in)
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"no nb", "iw he", "in id", "ji yi", "tl fil", "cmn zh", "zh-TW cmn-Hans", "mo ro", "sh sr-Latn", "jw jv", "EN en-GB", "xx xx-YY", "und und", " "} {
		a, b, _ := strings.Cut(same, " ")
		assert.True(t, language.Same(a, b), same)
		assert.True(t, language.Same(b, a), same)
	}
	for _, differ := range []string{"no nn", "no sv", "en und", "yue zh", "pt es", "xx yy", "en "} {
		a, b, _ := strings.Cut(differ, " ")
		assert.False(t, language.Same(a, b), differ)
		assert.False(t, language.Same(b, a), differ)
	}
}

func TestCaptionsAndASROfAList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in       string // "" is the list of a caller who sent none
		captions []string
		asr      string // "" for none
	}{
		{"", []string{}, ""},
		{"en", []string{"en"}, ""},
		{"de,en-US,fr", []string{"de", "en-US", "fr"}, ""},
		{"asr", []string{}, "asr"},
		{"asr-de", []string{}, "asr-de"},
		{"de,asr", []string{"de"}, "asr"},
		{"de,en,asr-en", []string{"de", "en"}, "asr-en"},
		{"de,asr-en,fr,asr", []string{"de"}, "asr-en"}, // what follows asr is not reached
		{"asr,de", []string{}, "asr"},
		{"asr-asr", []string{}, "asr-asr"},
	} {
		var list transcript.LanguageList
		if test.in != "" {
			var err error
			list, err = transcript.ParseLanguageList(test.in)
			require.NoError(t, err, test.in)
		}
		assert.Equal(t, test.captions, language.Captions(list), test.in)
		entry, ok := language.ASR(list)
		assert.Equal(t, test.asr != "", ok, test.in)
		assert.Equal(t, test.asr, entry.String(), test.in)
	}
}

func TestRecognizeAsOfAnEmptyList(t *testing.T) {
	t.Parallel()
	for _, known := range [][]string{nil, {}, {"en"}} {
		tag, ok := language.RecognizeAs(nil, known)
		assert.True(t, ok)
		assert.Empty(t, tag)
	}
}

// A recognizer of any language is asked for the first entry.
func TestRecognizeAsWithAnyLanguage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"en":                             "en",
		"EN-us":                          "en-US",
		" de , en ":                      "de",
		"en,EN,en-GB,en":                 "en",
		"asr":                            "",
		"ASR":                            "",
		"asr-DE":                         "de",
		"Asr-zh-hant-tw":                 "zh-Hant-TW",
		"de,asr-en":                      "de",
		"asr,de":                         "",
		"asr,ASR,asr-en,asr-EN":          "",
		"en,asr-en":                      "en",
		"asr-asr":                        "asr",
		"es-419":                         "es-419",
		"de-ch-1996":                     "de-CH-1996",
		"iw":                             "iw",
		"en-LATN":                        "en-Latn",
		"DE-de-U-CO-PHONEBK-KA-SHIFTED":  "de-DE-u-co-phonebk-ka-shifted",
		"X-My-Wish":                      "x-my-wish",
		"xx":                             "xx",
		"sr-qqqq-xx":                     "sr-Qqqq-XX",
		"en-123":                         "en-123",
		strings.Repeat("de,", 66) + "en": "de",
	} {
		list, err := transcript.ParseLanguageList(in)
		require.NoError(t, err, in)
		as, ok := language.RecognizeAs(list, nil)
		assert.True(t, ok, in)
		assert.Equal(t, want, as, in)
	}
}
