package spoken_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/spoken"
)

func TestTagsAreTags(t *testing.T) {
	t.Parallel()
	tags := spoken.Tags()
	assert.Greater(t, len(tags), 100)
	for _, tag := range tags {
		_, err := language.Parse(tag)
		assert.NoError(t, err, tag)
		code, ok := spoken.Code(tag)
		assert.True(t, ok, tag)
		assert.Equal(t, code, spoken.Named(code), tag)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en": "en", "EN-gb": "en", "pt_BR": "pt", "zh-Hant-TW": "zh", "nb": "no", "nn-NO": "nn", "jv": "jw", "fil": "tl",
		"": "", "und": "", "xx": "", "tlh": "",
	} {
		code, ok := spoken.Code(tag)
		assert.Equal(t, want, code, tag)
		assert.Equal(t, want != "", ok, tag)
	}
	for name, want := range map[string]string{
		"english": "en", "English": "en", "en": "en", "haitian creole": "ht", "Haitian": "ht", "burmese": "my", "javanese": "jw", "jw": "jw",
		"": "", "klingon": "",
	} {
		assert.Equal(t, want, spoken.Named(name), name)
	}
	assert.Equal(t, "jv", spoken.Tag("jw"))
	assert.Equal(t, "yue", spoken.Tag("yue"))
	assert.True(t, spoken.Unspaced("ja"))
	assert.False(t, spoken.Unspaced("ko"))
}
