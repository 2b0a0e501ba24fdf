package ffmpeg_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

// TestWhatADeadRecorderLeft: the sound that a cut file holds is decoded, and the result tells
// how much is missing.
func TestWhatADeadRecorderLeft(t *testing.T) {
	t.Parallel()
	const sound = "-f lavfi -i sine=f=500:d=12:r=44100 "
	for name, c := range map[string]struct {
		recipe string
		silent bool // the format announces no length
	}{
		"a.wav":     {recipe: ""},
		"64.wav":    {recipe: "-rf64 always"},
		"a.mp3":     {recipe: ""},
		"front.m4a": {recipe: "-movflags +faststart"},
		"front.mov": {recipe: "-c:a pcm_s16le -movflags +faststart"},
		"a.flac":    {recipe: ""},
		"a.aiff":    {recipe: ""},
		"a.au":      {recipe: ""},
		"a.w64":     {recipe: ""},
		"a.caf":     {recipe: "-c:a pcm_s16be"},
		"a.mka":     {recipe: "-c:a aac"},
		"a.webm":    {recipe: "-c:a libopus -ar 48000"},
		"a.flv":     {recipe: "-c:a mp3"},
		"a.avi":     {recipe: "-c:a mp3"},
		"a.wma":     {recipe: ""},
		"a.ogg":     {recipe: "-c:a libvorbis", silent: true},
		"a.aac":     {recipe: "", silent: true},
		"a.ts":      {recipe: "-c:a mp2", silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "a.wav" && name != "a.mp3" && name != "a.webm" {
				manyRuns(t)
			}
			in := cut(t, record(t, name, sound+c.recipe), 0.7)
			got := hear(t, in, engine.NormalizeOptions{})
			require.InDelta(t, 8, got.Duration.Seconds(), 0.9) // Ogg loses a page
			require.InDelta(t, 500, got.piece(0.5, 7).pitch(), 5)
			_, err := normalize(t, in, time.Hour)
			if c.silent {
				require.NoError(t, err)
				require.Nil(t, got.CutOff)
				return
			}
			requireInvalid(t, err, "The file is cut off: it holds")
			require.NotNil(t, got.CutOff)
			assert.InDelta(t, got.Duration.Seconds(), got.CutOff.HeldSec, 0.001)
			assert.InDelta(t, 12, got.CutOff.AnnouncedSec, 0.5)
			requireInvalid(t, ffmpeg.New(host(t, "")).Verify(t.Context(), in, got.Duration, time.Hour), "cut off")

			short := hear(t, in, engine.NormalizeOptions{Max: 5 * time.Second, Whole: true})
			assert.Equal(t, 5*time.Second, short.Duration)
			assert.Nil(t, short.CutOff, "what was asked for is there")
		})
	}
	t.Run("the second of two", func(t *testing.T) {
		t.Parallel()
		a, b := record(t, "a.flac", sound), cut(t, record(t, "b.wav", sound), 0.5)
		got := hear(t, glue(t, "in", a, b), engine.NormalizeOptions{})
		require.NotNil(t, got.CutOff)
		assert.InDelta(t, 18, got.CutOff.HeldSec, 0.1)
		assert.InDelta(t, 24, got.CutOff.AnnouncedSec, 0.1)
	})
	t.Run("the first of two", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"a.wav", "a.webm", "a.m4a"} {
			recipe := map[string]string{"a.webm": "-c:a libopus -ar 48000", "a.m4a": "-movflags +faststart"}[name]
			whole := record(t, name, sound+recipe)
			got := hear(t, glue(t, "in", cut(t, whole, 0.5), whole), engine.NormalizeOptions{})
			assert.InDelta(t, 18, got.Duration.Seconds(), 0.5, name)
			require.NotNil(t, got.CutOff, name)
			assert.InDelta(t, 24, got.CutOff.AnnouncedSec, 0.5, name)
		}
	})
	t.Run("an index at the end", func(t *testing.T) {
		t.Parallel()
		_, err := normalizeAs(t, cut(t, record(t, "end.m4a", sound), 0.7), engine.NormalizeOptions{Max: time.Hour})
		requireInvalid(t, err, "The file")
	})
}

// TestAnMP3HeaderIsNoEvidence: whatever the header of an MP3 says, its frames count.
func TestAnMP3HeaderIsNoEvidence(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(record(t, "a.mp3", "-f lavfi -i sine=f=500:d=6:r=44100"))
	require.NoError(t, err)
	at := bytes.Index(data, []byte("Info")) + 8
	require.Greater(t, at, 8)
	frames, size := binary.BigEndian.Uint32(data[at:]), binary.BigEndian.Uint32(data[at+4:])
	tool := ffmpeg.New(host(t, ""))
	for name, times := range map[string][2]uint32{
		"ten times the frames":           {10, 1},
		"ten times the frames and bytes": {10, 10},
		"72 hours":                       {43200, 1},
		"no bytes":                       {10, 0},
	} {
		for _, tail := range []string{"", "a", string(data[len(data)/2 : len(data)/2+300])} {
			binary.BigEndian.PutUint32(data[at:], frames*times[0])
			binary.BigEndian.PutUint32(data[at+4:], size*times[1])
			in := write(t, "a.mp3", string(data)+tail)
			info, err := tool.Probe(t.Context(), in)
			require.NoError(t, err)
			assert.InDelta(t, 6, info.Duration.Seconds(), 0.1, name)
			if tail == "" {
				got, err := normalize(t, in, 12*time.Hour)
				require.NoError(t, err, name)
				assert.InDelta(t, 6, got.Duration.Seconds(), 0.1, name)
				require.NoError(t, tool.Verify(t.Context(), in, got.Duration, time.Hour), name)
			}
		}
	}
}

// TestALyingHeaderCostsNothing: half a minute of sound that announces three days.
func TestALyingHeaderCostsNothing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(record(t, "a.flac", "-f lavfi -i sine=f=500:d=6:r=8000"))
	require.NoError(t, err)
	samples := uint64(72 * 3600 * 8000)
	data[21] = data[21]&0xf0 | byte(samples>>32)
	binary.BigEndian.PutUint32(data[22:], uint32(samples))
	got := hear(t, write(t, "a.flac", string(data)), engine.NormalizeOptions{Max: 36 * time.Hour})
	assert.InDelta(t, 6, got.Duration.Seconds(), 0.01)
	require.NotNil(t, got.CutOff)
	assert.InDelta(t, 6, got.CutOff.HeldSec, 0.01)
	assert.InDelta(t, 36*3600, got.CutOff.AnnouncedSec, 1, "as much as was asked for")
}
