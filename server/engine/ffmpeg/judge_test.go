package ffmpeg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// odd is a recording for TestFfmpegIsTheJudge.
type odd struct {
	name    string
	recipes []string // of each piece; several are glued together
	part    float64  // how much of the file there is; 0: all
	short   bool     // also with -short
}

// turns is 3 s of stereo: the left channel has sound up to 2 s, the right one from 1 s on.
const turns = "-f lavfi -i aevalsrc='0.4*sin(500*2*PI*t)*between(t,0,2)|0.4*sin(900*2*PI*t)*between(t,1,3)':s=44100:d=3 "

// opposite is 3 s of stereo of which the mean is silent.
const opposite = "-f lavfi -i aevalsrc='0.4*sin(500*2*PI*t)|-0.4*sin(500*2*PI*t)':s=44100:d=3 "

// six are 3 s of 5.1, each half second another channel.
const six = "-f lavfi -i aevalsrc='0.4*sin(400*2*PI*t)*between(t,0,0.5)|0.4*sin(500*2*PI*t)*between(t,0.5,1)|0.4*sin(600*2*PI*t)*between(t,1,1.5)|0.4*sin(80*2*PI*t)*between(t,1.5,2)|0.4*sin(800*2*PI*t)*between(t,2,2.5)|0.4*sin(900*2*PI*t)*between(t,2.5,3)':s=48000:d=3:c=5.1 "

// silence and film are inputs of files with several tracks.
const (
	silence = "-f lavfi -i anullsrc=r=44100:cl=stereo:d=3 "
	film    = "-f lavfi -i testsrc=d=3:s=64x64:r=10 "
)

// oddities are the recordings: every container with sound that ffmpeg can write and this
// package reads, and what people do to recordings.
func oddities() (all []odd) {
	for _, container := range []string{
		"s16.wav", "u8.wav -c:a pcm_u8", "s24.wav -c:a pcm_s24le", "s32.wav -c:a pcm_s32le", "f32.wav -c:a pcm_f32le", "f64.wav -c:a pcm_f64le",
		"alaw.wav -c:a pcm_alaw", "mulaw.wav -c:a pcm_mulaw -ar 8000", "ms.wav -c:a adpcm_ms", "ima.wav -c:a adpcm_ima_wav", "rf64.wav -rf64 always",
		"a.w64", "a.aiff", "alaw.aif -c:a pcm_alaw", "f32.aiff -c:a pcm_f32be", "a.au", "mulaw.au -c:a pcm_mulaw", "a.caf -c:a pcm_s16be", "alac.caf -c:a alac",
		"a.flac", "deep.flac -sample_fmt s32", "a.mp3", "vbr.mp3 -q:a 4", "bare.mp3 -write_xing 0 -id3v2_version 0", "low.mp3 -ar 16000", "a.mp2",
		"a.aac", "a.ac3", "a.eac3", "a.m4a", "front.m4a -movflags +faststart", "alac.m4a -c:a alac", "mp3.mp4 -c:a libmp3lame", "opus.mp4 -c:a libopus -ar 48000",
		"fragments.mp4 -movflags frag_keyframe+empty_moov -frag_duration 500000", "a.mov -c:a pcm_s16le", "a.3gp -c:a aac", "a.3g2 -c:a aac",
		"a.webm -c:a libopus -ar 48000", "vorbis.webm -c:a libvorbis", "aac.mka -c:a aac", "flac.mka -c:a flac", "pcm.mka -c:a pcm_s16le",
		"a.ogg -c:a libvorbis", "a.opus -c:a libopus -ar 48000", "a.oga -c:a flac", "a.spx -c:a libspeex -ar 16000 -ac 1",
		"mp2.ts -c:a mp2", "aac.ts -c:a aac", "ac3.ts -c:a ac3", "a.mpg -c:a mp2", "mp3.avi -c:a mp3", "pcm.avi -c:a pcm_s16le",
		"mp3.flv -c:a mp3 -ar 44100", "aac.flv -c:a aac", "a.wma", "mp3.asf -c:a libmp3lame",
	} {
		name, codec, _ := strings.Cut(container, " ")
		all = append(all, odd{name: name, recipes: []string{turns + codec}, short: name == "s16.wav"})
	}
	all = append(all, []odd{
		{name: "opposite.wav", recipes: []string{opposite}},
		{name: "opposite.mp3", recipes: []string{opposite + "-joint_stereo 0"}, short: true},
		{name: "opposite.m4a", recipes: []string{opposite}},
		{name: "opposite.webm", recipes: []string{opposite + "-c:a libopus -ar 48000"}},
		{name: "six.flac", recipes: []string{six}},
		{name: "six.m4a", recipes: []string{six}},
		{name: "six.ac3", recipes: []string{six}},
		{name: "film.mp4", recipes: []string{film + turns + "-pix_fmt yuv420p -c:v libx264 -c:a aac"}},
		{name: "silent-first.mp4", recipes: []string{silence + turns + "-map 0 -map 1"}, short: true},
		{name: "silent-last.mka", recipes: []string{turns + silence + "-map 0 -map 1 -c:a flac"}},
		{name: "commentary-first.mka", recipes: []string{opposite + turns + "-map 0 -map 1 -c:a flac -disposition:a:0 comment"}},
		{name: "three.ts", recipes: []string{silence + turns + opposite + "-map 0 -map 1 -map 2 -c:a mp2"}},

		{name: "glued.mp3", recipes: []string{turns + "-ar 48000", turns + "-ar 44100"}, short: true},
		{name: "grows.mp3", recipes: []string{turns + "-ac 1", opposite}},
		{name: "glued.aac", recipes: []string{turns + "-ar 48000", turns + "-ar 32000"}},
		{name: "restarted.webm", recipes: []string{turns + "-c:a libopus -ar 48000", opposite + "-c:a libopus -ar 48000"}, short: true},
		{name: "restarted.flac", recipes: []string{turns, turns + "-ar 32000 -ac 1"}},
		{name: "restarted.wav", recipes: []string{turns, turns + "-ar 32000 -ac 1"}},
		{name: "restarted.mp4", recipes: []string{turns, turns + "-ar 32000 -ac 1"}},
		{name: "chained.ogg", recipes: []string{turns + "-c:a libvorbis", turns + "-c:a libvorbis -ar 32000 -ac 1"}},
		{name: "changes.ts", recipes: []string{turns + "-c:a mp2", turns + "-c:a mp2 -ar 32000 -ac 1"}},

		{name: "cut.wav", recipes: []string{turns}, part: 0.7, short: true},
		{name: "cut.mp3", recipes: []string{turns}, part: 0.7},
		{name: "cut.m4a", recipes: []string{turns + "-movflags +faststart"}, part: 0.7},
		{name: "cut.flac", recipes: []string{turns}, part: 0.7},
		{name: "cut.aiff", recipes: []string{turns}, part: 0.7},
		{name: "cut.webm", recipes: []string{turns + "-c:a libopus -ar 48000"}, part: 0.7},
		{name: "cut.ogg", recipes: []string{turns + "-c:a libvorbis"}, part: 0.7},
		{name: "cut.ts", recipes: []string{turns + "-c:a mp2"}, part: 0.7},
	}...)
	return all
}

// decoded is what ffmpeg alone decodes of one track: the samples of each channel at 16 kHz.
type decoded [][]int16

// judged decodes a track without anything of the package.
func judged(t *testing.T, path string, track int) decoded {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "quiet", "-i", "file:"+path, "-map", fmt.Sprintf("0:a:%d", track),
		"-af", "aresample=16000", "-c:a", "pcm_s16le", "-bitexact", "-f", "wav", "pipe:1").Output() // a cut file is a failure
	at := bytes.Index(out, []byte("data"))
	require.Positive(t, at)
	n := int(binary.LittleEndian.Uint16(out[22:]))
	samples := make([]int16, (len(out)-at-8)/2)
	_, err := binary.Decode(out[at+8:], binary.LittleEndian, samples)
	require.NoError(t, err)
	d := make(decoded, n)
	for c := range d {
		for i := c; i < len(samples); i += n {
			d[c] = append(d[c], samples[i])
		}
	}
	return d
}

// second is the level of a second of sound, in dB below full scale.
func second(samples []int16, s int) float64 {
	from, to := min(len(samples), s*16000), min(len(samples), (s+1)*16000)
	if to-from < 1600 {
		return -100
	}
	sum := 0.0
	for _, v := range samples[from:to] {
		sum += float64(v) * float64(v)
	}
	return 10 * math.Log10(sum/float64(to-from)/(1<<30)+1e-10)
}

// TestFfmpegIsTheJudge: no second in which a channel of the used track is loud is missing, and
// the length is that of the decoded samples.
func TestFfmpegIsTheJudge(t *testing.T) {
	t.Parallel()
	for _, o := range oddities() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			if !o.short {
				manyRuns(t)
			}
			var pieces []string
			for i, recipe := range o.recipes {
				pieces = append(pieces, record(t, fmt.Sprintf("%d-%s", i, o.name), recipe))
			}
			in := pieces[0]
			if len(pieces) > 1 {
				in = glue(t, o.name, pieces...)
			}
			if o.part > 0 {
				in = cut(t, in, o.part)
				pieces = []string{in}
			}
			got := hear(t, in, engine.NormalizeOptions{})
			require.Zero(t, got.Unread)
			used := 0
			for i, track := range got.Tracks {
				if track.Used {
					used = i
				}
			}
			at, length := 0, 0
			for _, piece := range pieces {
				lost, n := 0, 0
				for _, channel := range judged(t, piece, used) {
					n = max(n, len(channel))
					for s := range len(channel)/16000 + 1 {
						loud := second(channel, s)
						if loud > -50 && second(got.samples[min(at, len(got.samples)):], s) < loud-12 {
							lost++
						}
					}
				}
				assert.Zero(t, lost, "seconds that are lost")
				at, length = at+n, length+n
			}
			// Each piece of a stream that is glued together may have a frame of padding.
			most := 0.05 * float64(len(pieces))
			if o.name == "a.wma" {
				most = 0.1 // its sound starts late, by its timestamps
			}
			assert.InDelta(t, float64(length)/16000, got.Duration.Seconds(), most, "the length")
			if len(got.Tracks) == 0 {
				return
			}
			assert.Greater(t, got.power(), -40.0, "the used track is not silent")
		})
	}
}

// TestADamagedTrackGivesWay: a track of an unknown codec is no reason to refuse the other.
func TestADamagedTrackGivesWay(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(tracksOf(t, "a.mka", "-c:a aac", 400, 600))
	require.NoError(t, err)
	in := write(t, "a.mka", string(bytes.Replace(data, []byte("A_AAC"), []byte("A_ZZZ"), 1)))
	got := hear(t, in, engine.NormalizeOptions{})
	assert.InDelta(t, 600, got.pitch(), 5)
	require.Len(t, got.Tracks, 2)
	assert.True(t, got.Tracks[1].Used)
	_, err = normalizeAs(t, in, engine.NormalizeOptions{Max: time.Hour, Track: 1})
	requireInvalid(t, err, "cannot be decoded")
}

// TestAnHourOfSilence is an hour, and no gap.
func TestAnHourOfSilence(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	got := hear(t, record(t, "a.flac", "-f lavfi -i anullsrc=r=8000:cl=mono -t 3600"), engine.NormalizeOptions{Max: 2 * time.Hour})
	assert.Equal(t, time.Hour, got.Duration)
	assert.Nil(t, got.CutOff)
}

// TestRefusalListsTheFormats: a refusal says what is read. The name of a file does not matter.
func TestRefusalListsTheFormats(t *testing.T) {
	t.Parallel()
	_, err := normalize(t, write(t, "a.txt", strings.Repeat("This is a text. ", 100)), time.Hour)
	requireInvalid(t, err, "in a format this service reads. It reads MP3, AAC, M4A")
	for _, recipe := range []string{"a.au", "a.ac3", "a.caf -c:a pcm_s16be", "a.w64"} {
		name, codec, _ := strings.Cut(recipe, " ")
		in := filepath.Join(t.TempDir(), "a.txt")
		require.NoError(t, os.Rename(record(t, name, turns+codec), in))
		assert.InDelta(t, 3, hear(t, in, engine.NormalizeOptions{}).Duration.Seconds(), 0.05, name)
	}
}
