package ffmpeg_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

// two are the containers of which two can follow each other, with the recipes of both.
var two = map[string][2]string{
	"a.webm": {"-c:a libopus -ar 48000", "-c:a libvorbis -ar 32000"},
	"a.mka":  {"-c:a pcm_s16le", "-c:a aac"},
	"a.flac": {"", "-ar 32000 -ac 1"},
	"a.wav":  {"", "-ar 32000 -ac 1"},
	"64.wav": {"-rf64 always", "-rf64 always -ar 8000"},
	"a.mp4":  {"-c:a aac", "-c:a aac -ar 32000 -ac 1 -movflags +faststart"},
	"frag.mp4": {"-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 500000",
		"-c:a aac -ar 32000 -movflags frag_keyframe+empty_moov -frag_duration 500000"},
	"a.mov":  {"-c:a pcm_s16le", "-c:a pcm_s16le -ar 8000 -ac 1"},
	"a.ogg":  {"-c:a libvorbis", "-c:a libvorbis -ar 32000 -ac 1"},
	"a.opus": {"-c:a libopus -ar 48000", "-c:a libopus -ar 48000 -ac 1"},
	"a.w64":  {"", "-ar 8000 -ac 1"},
	"a.aiff": {"", "-ar 8000 -ac 1"},
	"a.caf":  {"-c:a pcm_s16be", "-c:a pcm_s16be -ar 8000 -ac 1"},
	"a.au":   {"", "-ar 8000 -ac 1"},
	"a.flv":  {"-c:a mp3 -ar 44100", "-c:a mp3 -ar 22050"},
	"a.wma":  {"", "-ar 22050 -ac 1"},
	"a.avi":  {"-c:a mp3", "-c:a mp3 -ar 22050 -ac 1"},
	"a.mp3":  {"", "-ar 32000 -ac 1"},
	"a.aac":  {"", "-ar 32000 -ac 1"},
	"a.ac3":  {"", "-ar 32000 -ac 1"},
	"a.eac3": {"", "-ar 32000 -ac 1"},
	"a.ts":   {"-c:a mp2", "-c:a mp2 -ar 32000"},
	"a.mpg":  {"-c:a mp2", "-c:a mp2"},
}

const (
	low  = "-f lavfi -i aevalsrc='0.4*sin(400*2*PI*t)|0.4*sin(400*2*PI*t)':s=44100:d=3 "
	high = "-f lavfi -i aevalsrc='0.4*sin(1000*2*PI*t)|0.4*sin(1000*2*PI*t)':s=44100:d=3 "
)

// piece returns what is heard from start to end, in seconds.
func (n normalized) piece(start, end float64) normalized {
	to := min(len(n.samples), int(end*16000))
	from := min(to, int(start*16000))
	n.samples = n.samples[from:to]
	n.Duration = time.Duration(to-from) * time.Second / 16000
	return n
}

func TestTwoRecordingsInOneFile(t *testing.T) {
	t.Parallel()
	for name, recipes := range two {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "a.webm" && name != "a.flac" && name != "a.wav" && name != "a.mp4" {
				manyRuns(t)
			}
			a, b := record(t, name, low+recipes[0]), record(t, name, high+recipes[1])
			in := glue(t, name, a, b)
			got := hear(t, in, engine.NormalizeOptions{})
			require.InDelta(t, 6, got.Duration.Seconds(), 0.2)
			require.InDelta(t, 400, got.piece(0.5, 2.5).pitch(), 5)
			require.InDelta(t, 1000, got.piece(3.5, 5.5).pitch(), 5)
			require.Zero(t, got.Unread)
			require.Nil(t, got.CutOff)

			tool := ffmpeg.New(host(t, ""))
			cp := filepath.Join(t.TempDir(), "copy.webm")
			require.NoError(t, tool.PlayingCopy(t.Context(), in, cp, 0, time.Hour))
			played := hear(t, cp, engine.NormalizeOptions{})
			require.InDelta(t, got.Duration.Seconds(), played.Duration.Seconds(), 0.05)
			require.InDelta(t, 1000, played.piece(3.5, 5.5).pitch(), 5)

			short := hear(t, in, engine.NormalizeOptions{Max: 4 * time.Second})
			require.Equal(t, 4*time.Second, short.Duration)
			if name != "a.mp3" && name != "a.aac" && name != "a.ac3" && name != "a.eac3" && name != "a.ts" && name != "a.mpg" {
				requireInvalid(t, tool.Verify(t.Context(), in, got.Duration, time.Hour), "more than one recording")
			}
		})
	}
}

// TestLiveRecordingsInOneFile: a recorder that writes into a pipe announces no lengths.
func TestLiveRecordingsInOneFile(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"webm", "matroska", "wav", "au", "flac", "ogg"} {
		a, b := live(t, low, format), live(t, high, format)
		got := hear(t, glue(t, "in", a, b, a), engine.NormalizeOptions{})
		assert.InDelta(t, 9, got.Duration.Seconds(), 0.2, format)
		assert.InDelta(t, 1000, got.piece(3.5, 5.5).pitch(), 5, format)
		assert.Zero(t, got.Unread, format)
		assert.Nil(t, got.CutOff, format)
	}
}

// live makes a recording that ffmpeg writes to a pipe.
func live(t *testing.T, recipe, format string) string {
	t.Helper()
	args := append([]string{"-nostdin", "-v", "error"}, strings.Fields(recipe)...)
	if format == "webm" {
		args = append(args, "-c:a", "libopus", "-ar", "48000")
	}
	out, err := exec.CommandContext(t.Context(), "ffmpeg", append(args, "-f", format, "pipe:1")...).Output()
	require.NoError(t, err)
	return write(t, "live", string(out))
}

func TestTenPieces(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	var pieces []string
	for _, recipe := range []string{"a.webm -c:a libopus -ar 48000", "b.wav -ar 8000 -ac 1", "c.flac", "d.m4a", "e.ogg -c:a libvorbis"} {
		name, codec, _ := strings.Cut(recipe, " ")
		pieces = append(pieces, record(t, name, low+codec), record(t, name, high+codec))
	}
	got := hear(t, glue(t, "ten", pieces...), engine.NormalizeOptions{})
	require.InDelta(t, 30, got.Duration.Seconds(), 0.4)
	for i := range 10 {
		at := float64(3 * i)
		assert.InDelta(t, []float64{400, 1000}[i%2], got.piece(at+0.6, at+2.6).pitch(), 5, "piece %d", i+1)
	}
	assert.Zero(t, got.Unread)
}

// TestUnreadBytes: what follows a recording is read, or its bytes are counted.
func TestUnreadBytes(t *testing.T) {
	t.Parallel()
	whole := record(t, "a.flac", low)
	flac, err := os.ReadFile(whole)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file   string
		behind string
		unread int64
	}{
		"a text behind a WAV":          {record(t, "a.wav", low), strings.Repeat("text ", 1000), 5000},
		"a text behind an MP4":         {record(t, "a.m4a", low), strings.Repeat("text ", 1000), 5000},
		"a text behind a WebM":         {record(t, "a.webm", low+"-c:a libopus -ar 48000"), strings.Repeat("text ", 1000), 5000},
		"zeros behind a WAV":           {record(t, "a.wav", low), strings.Repeat("\x00", 100_000), 0},
		"a tag behind a WAV":           {record(t, "a.wav", low), "TAG" + strings.Repeat(" ", 125), 0},
		"half a header behind a WAV":   {record(t, "a.wav", low), string(flac[:60]), 60},
		"damaged sound behind a WebM":  {record(t, "a.webm", low+"-c:a libopus -ar 48000"), string(flac[:42]) + strings.Repeat("x", 958), 1000},
		"a file of texts behind a WAV": {record(t, "a.wav", low), "ID3\x04\x00\x00\x00\x00\x00\x01x" + strings.Repeat("y", 89), 100},
	} {
		in := write(t, "in", "")
		data, err := os.ReadFile(c.file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(in, append(data, c.behind...), 0o600))
		got := hear(t, in, engine.NormalizeOptions{})
		assert.InDelta(t, 3, got.Duration.Seconds(), 0.1, name)
		assert.Equal(t, c.unread, got.Unread, name)
	}
}

// TestNoSecondRecording: the beginning of a file inside of another one is sound, or a picture.
func TestNoSecondRecording(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wav, err := os.ReadFile(record(t, "a.wav", low+"-bitexact"))
	require.NoError(t, err)
	for _, other := range []string{"a.wav", "a.flac", "a.webm -c:a libopus -ar 48000", "a.m4a"} {
		name, codec, _ := strings.Cut(other, " ")
		begin, err := os.ReadFile(record(t, name, high+codec))
		require.NoError(t, err)
		in := filepath.Join(dir, "in.wav")
		data := append([]byte(nil), wav...)
		copy(data[100_000:], begin[:4000])
		require.NoError(t, os.WriteFile(in, data, 0o600))
		got := hear(t, in, engine.NormalizeOptions{})
		assert.Equal(t, 3*time.Second, got.Duration, other)
		assert.Zero(t, got.Unread, other)
	}
	inside := record(t, "inside.flac", high)
	data, err := os.ReadFile(inside)
	require.NoError(t, err)
	whole, err := os.ReadFile(record(t, "a.flac", low))
	require.NoError(t, err)
	block := append([]byte{2, 0, byte((len(data) + 4) >> 8), byte(len(data) + 4)}, "test"...)
	block[1] = byte((len(data) + 4) >> 16)
	in := write(t, "in.flac", string(whole[:42])+string(block)+string(data)+string(whole[42:]))
	got := hear(t, in, engine.NormalizeOptions{})
	assert.InDelta(t, 3, got.Duration.Seconds(), 0.01, "a FLAC in a block of a FLAC")
	assert.InDelta(t, 400, got.pitch(), 5)
}

// TestAnotherContainerBehindAnMP3: ffmpeg reads an MP3 to the end of the file, whatever follows.
func TestAnotherContainerBehindAnMP3(t *testing.T) {
	t.Parallel()
	first := record(t, "a.mp3", low+"-c:a libmp3lame -id3v2_version 3 -metadata title=fLaC")
	for _, name := range []string{"b.webm", "b.wav", "b.flac", "b.m4a", "b.ogg"} {
		in := glue(t, "in.mp3", first, record(t, name, high))
		got := hear(t, in, engine.NormalizeOptions{})
		assert.InDelta(t, 6, got.Duration.Seconds(), 0.2, name)
		assert.InDelta(t, 1000, got.piece(3.5, 5.5).pitch(), 5, name)
		assert.Zero(t, got.Unread, name)
	}
	alone := hear(t, first, engine.NormalizeOptions{})
	assert.InDelta(t, 3, alone.Duration.Seconds(), 0.1)
}
