package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestParseLanguageList(t *testing.T) {
	t.Parallel()
	tag := func(s string) transcript.LanguageEntry { return transcript.LanguageEntry{Tag: s} }
	asr := func(s string) transcript.LanguageEntry { return transcript.LanguageEntry{Tag: s, ASR: true} }
	type list = transcript.LanguageList
	for _, test := range []struct {
		in        string
		want      list
		canonical string
	}{
		{"en", list{tag("en")}, "en"},
		{"EN-us", list{tag("en-US")}, "en-US"},
		{" de , en ", list{tag("de"), tag("en")}, "de,en"},
		{"en,EN,en-GB,en", list{tag("en"), tag("en-GB")}, "en,en-GB"},
		{"asr", list{asr("")}, "asr"},
		{"ASR", list{asr("")}, "asr"},
		{"asr-DE", list{asr("de")}, "asr-de"},
		{"Asr-zh-hant-tw", list{asr("zh-Hant-TW")}, "asr-zh-Hant-TW"},
		{"de,asr-en", list{tag("de"), asr("en")}, "de,asr-en"},
		{"asr,de", list{asr(""), tag("de")}, "asr,de"},
		{"asr,ASR,asr-en,asr-EN", list{asr(""), asr("en")}, "asr,asr-en"},
		{"en,asr-en", list{tag("en"), asr("en")}, "en,asr-en"},
		{"asr-asr", list{asr("asr")}, "asr-asr"}, // Asuri, a language after all
		{"asrx", nil, ""},                        // not asr, and no tag has four letters
		{"es-419", list{tag("es-419")}, "es-419"},
		{"de-ch-1996", list{tag("de-CH-1996")}, "de-CH-1996"},
		{"iw", list{tag("iw")}, "iw"}, // as sent
		{"en-LATN", list{tag("en-Latn")}, "en-Latn"},
		{"DE-de-U-CO-PHONEBK-KA-SHIFTED", list{tag("de-DE-u-co-phonebk-ka-shifted")}, "de-DE-u-co-phonebk-ka-shifted"},
		{"X-My-Wish", list{tag("x-my-wish")}, "x-my-wish"},
		// Well formed, but nobody speaks it.
		{"xx", list{tag("xx")}, "xx"},
		{"sr-qqqq-xx", list{tag("sr-Qqqq-XX")}, "sr-Qqqq-XX"},
		{"en-123", list{tag("en-123")}, "en-123"},
		{strings.Repeat("de,", 66) + "en", list{tag("de"), tag("en")}, "de,en"}, // 200 characters
	} {
		if test.want == nil {
			_, err := transcript.ParseLanguageList(test.in)
			assert.Error(t, err, test.in)
			continue
		}
		got, err := transcript.ParseLanguageList(test.in)
		require.NoError(t, err, test.in)
		assert.Equal(t, test.want, got, test.in)
		assert.Equal(t, test.canonical, got.String(), test.in)
	}
}

func TestParseLanguageListRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, says string }{
		{"", "must have 1 to 200 characters, not 0"},
		{strings.Repeat("de,", 66) + "eng", "not 201"},
		{strings.Repeat("ä", 200), `entry 1 ("ä`}, // 200 characters in 400 bytes: the length is not the fault
		{" ", "entry 1 is empty"},
		{",", "entry 1 is empty"},
		{"en,", "entry 2 is empty"},
		{"en,,de", "entry 2 is empty"},
		{"en, ,de", "entry 2 is empty"},
		{"en,english", `entry 2 ("english")`},
		{"en_US", `entry 1 ("en_US")`},
		{"en US", `entry 1 ("en US")`},
		{"en;q=0.5", `entry 1 ("en;q=0.5")`},
		{"en\t,de", `entry 1 ("en\t")`},
		{"en\n", `entry 1 ("en\n")`},
		{"*", `entry 1 ("*")`},
		{"asr-", `entry 1 ("asr-")`},
		{"de,asr_en", `entry 2 ("asr_en")`},
		{"asr-english", `entry 1 ("asr-english")`},
		{"-en", `entry 1 ("-en")`},
		{"en-", `entry 1 ("en-")`},
		{"en--US", `entry 1 ("en--US")`},
		{"en-US-GB", `entry 1 ("en-US-GB")`},
		{"de-abcdefghi", `entry 1 ("de-abcdefghi")`},
		{"x", `entry 1 ("x")`},
		{"en-u", `entry 1 ("en-u")`},
		{"\xff", `entry 1 ("\xff")`},
		{"dé", `entry 1 ("dé")`},
	} {
		list, err := transcript.ParseLanguageList(test.in)
		assert.ErrorContains(t, err, test.says, "%q", test.in)
		assert.Nil(t, list)
	}
}

func TestNoLanguageList(t *testing.T) {
	t.Parallel()
	var none transcript.LanguageList
	assert.Empty(t, none.String())
}

func FuzzParseLanguageList(f *testing.F) {
	for _, seed := range []string{"en", "de , ASR-fr", "asr,x-a", "zh-Hant-TW,en-u-co-phonebk", "i-klingon", "a,,b", "\u0130", "en-GB-oed", "asr-asr"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := transcript.ParseLanguageList(s)
		if err != nil {
			require.Nil(t, list)
			return
		}
		require.NotEmpty(t, list)
		canonical := list.String()
		again, err := transcript.ParseLanguageList(canonical)
		require.NoError(t, err, canonical)
		require.Equal(t, list, again)
		upper, err := transcript.ParseLanguageList(strings.ToUpper(s))
		require.NoError(t, err)
		require.Equal(t, list, upper)
		for i, e := range list {
			require.True(t, e.ASR || e.Tag != "")
			require.NotContains(t, list[i+1:], e)
		}
	})
}
