package transcript_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestSourcesKnowWhatTheyAre(t *testing.T) {
	t.Parallel()
	link, content := transcript.URL("https://video.example/watch?v=1"), transcript.ID(transcript.VideoSite, "1")
	media := transcript.Media("a.wav", -1, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a")), nil })

	s, ok := link.Link()
	assert.True(t, ok)
	assert.Equal(t, "https://video.example/watch?v=1", s)
	platform, id, ok := content.Content()
	assert.True(t, ok)
	assert.Equal(t, transcript.VideoSite, platform)
	assert.Equal(t, "1", id)
	name, size, open, ok := media.Upload()
	assert.True(t, ok)
	assert.Equal(t, "a.wav", name)
	assert.EqualValues(t, -1, size)
	assert.NotNil(t, open)

	for _, other := range []transcript.Source{{}, content, media} {
		_, ok := other.Link()
		assert.False(t, ok)
	}
	for _, other := range []transcript.Source{{}, link, media} {
		_, _, ok := other.Content()
		assert.False(t, ok)
	}
	for _, other := range []transcript.Source{{}, link, content} {
		_, _, _, ok := other.Upload()
		assert.False(t, ok)
	}
}

func TestFileIsOpenedAnewEachTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "talk.wav")
	require.NoError(t, os.WriteFile(path, []byte("sound"), 0o600))
	name, size, open, ok := transcript.File(path).Upload()
	require.True(t, ok)
	assert.Equal(t, "talk.wav", name)
	assert.EqualValues(t, 5, size)
	for range 2 {
		f, err := open()
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		assert.Equal(t, "sound", string(b))
		require.NoError(t, f.Close())
	}
}

func TestMissingFileIsReportedWhenItIsOpened(t *testing.T) {
	t.Parallel()
	_, size, open, ok := transcript.File(filepath.Join(t.TempDir(), "none.wav")).Upload()
	require.True(t, ok)
	assert.EqualValues(t, -1, size)
	_, err := open()
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// The size of what is no regular file says nothing of its content.
func TestPipeHasNoSize(t *testing.T) {
	t.Parallel()
	_, size, _, ok := transcript.File(os.DevNull).Upload()
	assert.True(t, ok)
	assert.EqualValues(t, -1, size)
}
