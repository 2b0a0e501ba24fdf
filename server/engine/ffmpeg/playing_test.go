package ffmpeg_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var _ engine.PlayingMedia = (*ffmpeg.Tool)(nil)

// A copy for playing is small, has the length of the sound, and tells its length.
func TestPlayingCopy(t *testing.T) {
	t.Parallel()
	tool := ffmpeg.New(host(t, ""))
	for name, recipe := range map[string]string{
		"mono.wav":   "-f lavfi -i sine=duration=61 -ar 16000",
		"many.flac":  "-f lavfi -i sine=duration=61 -ac 6",
		"video.mp4":  "-f lavfi -i testsrc=duration=61:size=64x48:rate=1 -f lavfi -i sine=duration=61 -shortest",
		"stereo.mp3": "-f lavfi -i sine=duration=61 -ac 2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, out := record(t, name, recipe), filepath.Join(t.TempDir(), "copy.webm")
			require.NoError(t, tool.PlayingCopy(t.Context(), in, out, 0, time.Hour))
			made, err := os.Stat(out)
			require.NoError(t, err)
			assert.Less(t, made.Size(), int64(61*12_000))
			info, err := tool.Probe(t.Context(), out)
			require.NoError(t, err)
			assert.InDelta(t, 61, info.Duration.Seconds(), 0.2)
			audio, err := tool.Normalize(t.Context(), out, filepath.Join(t.TempDir(), "a.wav"), engine.NormalizeOptions{Max: time.Hour})
			require.NoError(t, err)
			assert.InDelta(t, 61, audio.Duration.Seconds(), 0.2)
		})
	}
	t.Run("bounded", func(t *testing.T) {
		t.Parallel()
		out := filepath.Join(t.TempDir(), "copy.webm")
		require.NoError(t, tool.PlayingCopy(t.Context(), record(t, "a.wav", "-f lavfi -i sine=duration=61 -ar 16000"), out, 0, 10*time.Second))
		info, err := tool.Probe(t.Context(), out)
		require.NoError(t, err)
		assert.InDelta(t, 10, info.Duration.Seconds(), 0.2)
	})
	t.Run("no media", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		require.NoError(t, os.WriteFile(in, []byte("#EXTM3U\n/etc/passwd\n"), 0o600))
		require.ErrorIs(t, tool.PlayingCopy(t.Context(), in, out, 0, time.Hour), transcript.UploadInvalid)
		assert.NoFileExists(t, out)
	})
}
