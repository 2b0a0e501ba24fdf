package ffmpeg_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

// tracksOf makes a file with an audio track for each tone: a frequency in Hz, 0 is silence.
func tracksOf(t *testing.T, name, codecs string, tones ...int) string {
	t.Helper()
	var inputs, maps strings.Builder
	for i, hz := range tones {
		fmt.Fprintf(&inputs, "-f lavfi -i aevalsrc=%s*sin(%d*2*PI*t):s=48000:d=3 ", map[bool]string{true: "0.5", false: "0"}[hz > 0], hz)
		fmt.Fprintf(&maps, "-map %d:a ", i)
	}
	return record(t, name, inputs.String()+maps.String()+codecs)
}

// pitch is the frequency of what is heard, in Hz, from its crossings of zero.
func (n normalized) pitch() float64 {
	crossings := 0
	for i := 1; i < len(n.samples); i++ {
		if n.samples[i-1] < 0 && n.samples[i] >= 0 {
			crossings++
		}
	}
	return float64(crossings) / n.Duration.Seconds()
}

func TestWhichTrackIsHeard(t *testing.T) {
	t.Parallel()
	const film = "-c:a libopus -metadata:s:a:0 title=Director_Commentary -metadata:s:a:0 language=eng " +
		"-metadata:s:a:1 language=eng -metadata:s:a:2 language=ger -metadata:s:a:3 language=fre " +
		"-disposition:a:0 default -disposition:a:1 0 -disposition:a:2 default -disposition:a:3 0"
	in := tracksOf(t, "film.mka", strings.ReplaceAll(film, "Director_Commentary", "Commentary"), 200, 400, 600, 800)
	for name, c := range map[string]struct {
		o    engine.NormalizeOptions
		used int
	}{
		"no wish":               {engine.NormalizeOptions{}, 3}, // the default that is no commentary
		"a number":              {engine.NormalizeOptions{Track: 1}, 1},
		"the number wins":       {engine.NormalizeOptions{Track: 4, Language: "de"}, 4},
		"a language":            {engine.NormalizeOptions{Language: "fr"}, 4},
		"the primary language":  {engine.NormalizeOptions{Language: "fr-CA"}, 4},
		"no commentary of many": {engine.NormalizeOptions{Language: "en"}, 2},
		"no such language":      {engine.NormalizeOptions{Language: "sv"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := hear(t, in, c.o)
			assert.InDelta(t, 200*c.used, got.pitch(), 5)
			require.Len(t, got.Tracks, 4)
			for i, track := range got.Tracks {
				assert.Equal(t, i+1, track.Index)
				assert.Equal(t, i+1 == c.used, track.Used)
				require.NotNil(t, track.Language)
				assert.Equal(t, []string{"en", "en", "de", "fr"}[i], *track.Language)
			}
			require.NotNil(t, got.Tracks[0].Title)
			assert.Equal(t, "Commentary", *got.Tracks[0].Title)
			assert.Nil(t, got.Tracks[1].Title)
			assert.True(t, got.Tracks[2].Default)
			assert.False(t, got.Tracks[3].Default)
		})
	}
	t.Run("no such number", func(t *testing.T) {
		t.Parallel()
		for _, number := range []int{5, -1} {
			_, err := normalizeAs(t, in, engine.NormalizeOptions{Max: time.Hour, Track: number})
			requireInvalid(t, err, "1 (en, Commentary), 2 (en), 3 (de), 4 (fr)")
		}
	})
	t.Run("the copy for playing", func(t *testing.T) {
		t.Parallel()
		for number, used := range map[int]int{0: 3, 2: 2} {
			out := filepath.Join(t.TempDir(), "copy.webm")
			require.NoError(t, ffmpeg.New(host(t, "")).PlayingCopy(t.Context(), in, out, number, time.Hour))
			assert.InDelta(t, 200*used, hear(t, out, engine.NormalizeOptions{}).pitch(), 5)
		}
	})
	t.Run("one track", func(t *testing.T) {
		t.Parallel()
		assert.Nil(t, hear(t, record(t, "a.mka", tone), engine.NormalizeOptions{Track: 1}).Tracks)
	})
}

func TestASilentTrackGivesWay(t *testing.T) {
	t.Parallel()
	used := func(n normalized) (number int) {
		for _, track := range n.Tracks {
			if track.Used {
				number += track.Index
			}
		}
		return number
	}
	for name, codecs := range map[string]string{"a.mp4": "-c:a aac", "a.mka": "-c:a libopus"} {
		in := tracksOf(t, name, codecs, 0, 0, 600)
		got := hear(t, in, engine.NormalizeOptions{})
		assert.Equal(t, 3, used(got), name)
		assert.InDelta(t, 600, got.pitch(), 5)

		got = hear(t, in, engine.NormalizeOptions{Track: 1})
		assert.Equal(t, 1, used(got), "a named track is heard")
		assert.Zero(t, got.pitch())

		out := filepath.Join(t.TempDir(), "copy.webm")
		require.NoError(t, ffmpeg.New(host(t, "")).PlayingCopy(t.Context(), in, out, 0, time.Hour))
		assert.InDelta(t, 600, hear(t, out, engine.NormalizeOptions{}).pitch(), 5, name)
	}
	got := hear(t, tracksOf(t, "a.mka", "-c:a libopus", 0, 0), engine.NormalizeOptions{})
	assert.Equal(t, 1, used(got), "all are silent")
	assert.InDelta(t, 3, got.Duration.Seconds(), 0.1)
}

// TestFortyTracks: the work is bounded, and the last track is found.
func TestFortyTracks(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	tones := make([]int, 40)
	tones[39] = 500
	var seen []time.Duration
	got := hear(t, tracksOf(t, "a.mka", "-c:a pcm_s16le", tones...), engine.NormalizeOptions{
		Progress: func(done time.Duration) { seen = append(seen, done) },
	})
	require.Len(t, got.Tracks, 40)
	assert.True(t, got.Tracks[39].Used)
	assert.InDelta(t, 500, got.pitch(), 5)
	assert.IsIncreasing(t, seen, "the progress never goes back")
	_, err := normalizeAs(t, tracksOf(t, "b.mka", "-c:a pcm_s16le", tones...), engine.NormalizeOptions{Max: time.Hour, Track: 41})
	requireInvalid(t, err, "and 20 more")
}
