package trackid_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/trackid"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestNew(t *testing.T) {
	t.Parallel()
	idOf := func(key string) string {
		lang, rest := trackid.Split(key)
		return trackid.New(lang, transcript.TrackManual, rest)
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
	assert.Equal(t, "en.asr", trackid.New("en", transcript.TrackAuto, ""))
	assert.Equal(t, "en.forced", trackid.New("en", transcript.TrackForced, ""))
	assert.NotEqual(t, trackid.New("en", transcript.TrackAuto, "a b"), trackid.New("en", transcript.TrackAuto, "a c"))
}

// A key without end costs no time.
func TestSplitOfALongKey(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for key, want := range map[string]string{
		"en-" + strings.Repeat("a-", 1_000_000): "en",
		strings.Repeat("-", 1_000_000):          "und",
		strings.Repeat("a", 1_000_000):          "und",
	} {
		tag, _ := trackid.Split(key)
		assert.Equal(t, want, tag)
	}
	assert.Less(t, time.Since(began), time.Minute, "the time grows with the square of the length")
}
