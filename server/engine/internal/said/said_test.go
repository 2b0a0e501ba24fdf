package said_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/said"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                   "",
		" A\ttalk \n":        "A talk",
		"a\u0000b\n\u202ec":  "ab c",
		"a\u2028b\u00a0c":    "a b c",
		"a\xffb":             "a\uFFFDb",
		"0123456789 abc":     "0123456789",
		"ßßßßßßßßßßßßßßßßßß": strings.Repeat("ß", 10),
	} {
		assert.Equal(t, want, said.Line(in, 10), "%q", in)
	}
}

func TestTrackID(t *testing.T) {
	t.Parallel()
	idOf := func(key string) string {
		lang, rest := said.Language(key)
		return said.TrackID(lang, transcript.TrackManual, rest)
	}
	for key, want := range map[string]string{
		"en":             "en.manual",
		"EN":             "en.manual",
		"pt_BR":          "pt-BR.manual",
		"en-nP7-2PuUl7o": "en.manual.nP7-2PuUl7o",
		"zh-Hans-x-a":    "zh-Hans-x-a.manual",
		"":               "und.manual",
	} {
		assert.Equal(t, want, idOf(key), key)
	}
	assert.Regexp(t, `^und\.manual\.[0-9a-f]{12}$`, idOf("Ελληνικά"))
	assert.Regexp(t, `^en\.manual\.[0-9a-f]{12}$`, idOf("en-with a space"))
	assert.Equal(t, "en.asr", said.TrackID("en", transcript.TrackAuto, ""))
	assert.Equal(t, "en.forced", said.TrackID("en", transcript.TrackForced, ""))
	assert.NotEqual(t, said.TrackID("en", transcript.TrackAuto, "a b"), said.TrackID("en", transcript.TrackAuto, "a c"))
}

// A key without end costs no time.
func TestLanguageOfALongKey(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for key, want := range map[string]string{
		"en-" + strings.Repeat("a-", 50_000): "en",
		strings.Repeat("-", 50_000):          "und",
		strings.Repeat("a", 50_000):          "und",
	} {
		tag, _ := said.Language(key)
		assert.Equal(t, want, tag)
	}
	assert.Less(t, time.Since(began), 2*time.Second)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"":                              0,
		"soon":                          0,
		"NaN":                           0,
		"0":                             0,
		"-5":                            0,
		"120":                           2 * time.Minute,
		"0.2":                           time.Second,
		"Inf":                           24 * time.Hour,
		"999999999999999999999":         24 * time.Hour,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		assert.Equal(t, want, said.RetryAfter(http.Header{"Retry-After": {in}}), in)
	}
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	assert.InDelta(t, 90, said.RetryAfter(http.Header{"Retry-After": {at}}).Seconds(), 2)
	assert.Zero(t, said.RetryAfter(http.Header{}))
}
