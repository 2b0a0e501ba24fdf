package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestRepeatedCuesComeOnce(t *testing.T) {
	t.Parallel()
	const a, b = "00:00:01.000 --> 00:00:02.000\na\n\n", "00:00:01.000 --> 00:00:02.000\nb\n\n"
	const chorus = "00:00:05.000 --> 00:00:06.000\na\n\n"
	for name, file := range map[string]string{
		"border": a + b + "WEBVTT\n\n" + b + chorus,
		"shadow": a + b + a + b + a + b + chorus,
	} {
		for _, read := range []func(string) (caption.File, error){
			func(s string) (caption.File, error) { return caption.ReadWebVTT(strings.NewReader(s)) },
			func(s string) (caption.File, error) { return caption.ReadAny(strings.NewReader(s)) },
		} {
			got, err := read("WEBVTT\n\n" + file)
			require.NoError(t, err, name)
			assert.Nil(t, got.Lost, name)
			var texts []string
			for _, s := range got.Segments {
				texts = append(texts, s.Text)
			}
			assert.Equal(t, []string{"a", "b", "a"}, texts, name)
		}
	}
	other, err := caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n" + a + strings.Replace(a, "02.000", "03.000", 1)))
	require.NoError(t, err)
	assert.Len(t, other.Segments, 2, "another end")
}
