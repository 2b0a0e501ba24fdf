package ffmpeg_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// fromTheEnd is a format that is read from the front only where the file is small.
const fromTheEnd = "end.m4a"

// TestArrivingFiles: what can be read from the front gives the same samples as the whole file.
// Only in the whole MP3 file ffmpeg knows the last frame, and cuts the padding after the sound.
func TestArrivingFiles(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	const picture = "-f lavfi -i testsrc=d=8:s=64x64:r=10 -itsoffset 3 -f lavfi -i sine=d=2:r=48000 -pix_fmt yuv420p "
	recipes := map[string]string{
		"late.mkv": picture + "-c:v libx264 -c:a aac",
		"late.mp4": picture + "-c:v libx264 -c:a aac -movflags +faststart",
		"late.ts":  picture + "-c:v mpeg2video -c:a mp2",
	}
	for _, name := range []string{"pcm.wav", "a.mp3", "a.flac", "opus.ogg", "a.aac", fromTheEnd, "fragments.mp4", "a.webm", "a.wma"} {
		recipes[name] = tone + common[name]
	}
	for name, recipe := range recipes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := record(t, name, recipe)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			out := filepath.Join(t.TempDir(), "out.wav")
			tool := ffmpeg.New(host(t, os.Getenv("PATH")))
			audio, err := tool.NormalizeArriving(t.Context(), iotest.HalfReader(bytes.NewReader(data)), out, time.Hour)
			if err != nil && name == fromTheEnd {
				assert.NoFileExists(t, out)
				return
			}
			require.NoError(t, err)
			whole, err := normalize(t, path, time.Hour)
			require.NoError(t, err)
			rec, err := speech.Open(out)
			require.NoError(t, err)
			defer rec.Close()
			got, err := io.ReadAll(rec.PCM(0, rec.Samples()))
			require.NoError(t, err)
			if name == "a.mp3" {
				assert.InDelta(t, whole.Duration.Seconds(), audio.Duration.Seconds(), 0.05)
				got = got[:len(whole.samples)*2]
			}
			assert.True(t, bytes.Equal(whole.pcm(t), got), "the samples differ")
			require.NoError(t, tool.Verify(t.Context(), path, audio.Duration, time.Hour))
		})
	}
}

// TestArrivingFileThatIsCutOff: the file is whole in its way, but announces more.
func TestArrivingFileThatIsCutOff(t *testing.T) {
	t.Parallel()
	path := cut(t, record(t, "a.wav", "-f lavfi -i sine=d=20"), 0.5)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	tool := ffmpeg.New(host(t, os.Getenv("PATH")))
	audio, err := tool.NormalizeArriving(t.Context(), bytes.NewReader(data), filepath.Join(t.TempDir(), "out.wav"), time.Hour)
	if err != nil {
		return // also good: then the whole file is read
	}
	requireInvalid(t, tool.Verify(t.Context(), path, audio.Duration, time.Hour), "cut off")
}

// TestArrivingSoundIsThereAtOnce: the sound of the first half can be read before the second
// half has come. A file that breaks off gives nothing.
func TestArrivingSoundIsThereAtOnce(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(record(t, "a.mp3", "-f lavfi -i sine=d=60"))
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "out.wav")
	in, client := io.Pipe()
	ended := make(chan error)
	tool := ffmpeg.New(host(t, os.Getenv("PATH")))
	go func() {
		_, err := tool.NormalizeArriving(t.Context(), in, out, time.Hour)
		ended <- err
	}()
	_, err = client.Write(data[:len(data)/2])
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		rec, err := speech.Open(out)
		if err != nil {
			return false
		}
		defer rec.Close()
		return rec.Duration() > 15*time.Second
	}, time.Minute, 10*time.Millisecond)
	errGone := errors.New("the client is gone")
	client.CloseWithError(errGone)
	require.ErrorIs(t, <-ended, errGone)
	assert.NoFileExists(t, out)
}

// TestRecordingOfUnknownLength: a browser that records sends a WAV whose header announces no length. It
// is read while it arrives, and it is not cut off.
func TestRecordingOfUnknownLength(t *testing.T) {
	t.Parallel()
	path := record(t, "a.wav", "-f lavfi -i sine=d=20:r=16000 -bitexact")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "data", string(data[36:40]))
	copy(data[4:], "\xff\xff\xff\xff")
	copy(data[40:], "\xff\xff\xff\xff")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	tool := ffmpeg.New(host(t, os.Getenv("PATH")))
	audio, err := tool.NormalizeArriving(t.Context(), bytes.NewReader(data), filepath.Join(t.TempDir(), "out.wav"), time.Hour)
	require.NoError(t, err)
	require.NoError(t, tool.Verify(t.Context(), path, audio.Duration, time.Hour))
	whole := hear(t, path, engine.NormalizeOptions{Whole: true})
	assert.Equal(t, 20*time.Second, whole.Duration)
	assert.Equal(t, whole.Duration, audio.Duration)
	assert.Nil(t, whole.CutOff)
}
