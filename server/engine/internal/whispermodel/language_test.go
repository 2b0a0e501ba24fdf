package whispermodel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

func TestTagsAreTags(t *testing.T) {
	t.Parallel()
	tags := whispermodel.Tags()
	assert.Greater(t, len(tags), 100)
	for _, tag := range tags {
		_, err := language.Parse(tag)
		assert.NoError(t, err, tag)
		code, ok := whispermodel.Code(tag)
		assert.True(t, ok, tag)
		assert.Equal(t, code, whispermodel.CodeNamed(code), tag)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en": "en", "EN-gb": "en", "pt_BR": "pt", "zh-Hant-TW": "zh", "nb": "no", "nn-NO": "nn", "jv": "jw", "fil": "tl",
		"": "", "und": "", "xx": "", "tlh": "",
	} {
		code, ok := whispermodel.Code(tag)
		assert.Equal(t, want, code, tag)
		assert.Equal(t, want != "", ok, tag)
	}
	for name, want := range map[string]string{
		"english": "en", "English": "en", "en": "en", "haitian creole": "ht", "Haitian": "ht", "burmese": "my", "javanese": "jw", "jw": "jw",
		"": "", "klingon": "",
	} {
		assert.Equal(t, want, whispermodel.CodeNamed(name), name)
	}
	assert.Equal(t, "jv", whispermodel.Tag("jw"))
	assert.Equal(t, "yue", whispermodel.Tag("yue"))
	assert.True(t, whispermodel.Unspaced("ja"))
	assert.False(t, whispermodel.Unspaced("ko"))
}
