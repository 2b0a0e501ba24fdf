package ffmpeg_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

// glue writes files behind each other into one.
func glue(t *testing.T, name string, paths ...string) string {
	t.Helper()
	var all []byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, data...)
	}
	return write(t, name, string(all))
}

// glued is a podcast: an advertisement of 4 s at 48 kHz, and a show of 12 s at 44.1 kHz whose
// tone sounds in its second half.
func glued(t *testing.T, name, codec string) string {
	t.Helper()
	return glue(t, name,
		record(t, "a-"+name, "-f lavfi -i anullsrc=r=48000:cl=stereo:d=4 "+codec),
		record(t, "b-"+name, "-f lavfi -i aevalsrc='0.5*sin(2764*t)*between(t,6,12)|0.5*sin(2764*t)*between(t,6,12)':s=44100:d=12 "+codec))
}

// TestGluedAdvertisement: the rate of a recording without timestamps changes on the way, and
// its time stays the count of its samples.
func TestGluedAdvertisement(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]float64{"a.mp3": 0, "a.aac": 0.04} { // AAC begins each piece with a frame of silence
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := glued(t, name, "-b:a 96k")
			got := hear(t, in, engine.NormalizeOptions{})
			require.InDelta(t, 16, got.Duration.Seconds(), 0.2)
			got.requireTone(t, 10+late, 16+late)
			require.Nil(t, got.CutOff)

			tool := ffmpeg.New(host(t, ""))
			dir := t.TempDir()
			data, err := os.ReadFile(in)
			require.NoError(t, err)
			arrived, err := tool.NormalizeArriving(t.Context(), bytes.NewReader(data), filepath.Join(dir, "a.wav"), time.Hour)
			if err == nil { // else the whole file is read
				require.Equal(t, got.Duration, arrived.Duration)
			}
			cp := filepath.Join(dir, "copy.webm")
			require.NoError(t, tool.PlayingCopy(t.Context(), in, cp, 0, time.Hour))
			played := hear(t, cp, engine.NormalizeOptions{})
			require.InDelta(t, got.Duration.Seconds(), played.Duration.Seconds(), 0.05)
			played.requireTone(t, 10+late, 16+late)
		})
	}
}

// TestTheBoundCountsSamples: a recording without timestamps is cut at the bound, and not
// where wrong timestamps reach it.
func TestTheBoundCountsSamples(t *testing.T) {
	t.Parallel()
	in := glued(t, "a.mp3", "-b:a 96k")
	for _, most := range []time.Duration{3 * time.Second, 14*time.Second + 123*time.Millisecond} {
		assert.Equal(t, most, hear(t, in, engine.NormalizeOptions{Max: most}).Duration)
	}
}
