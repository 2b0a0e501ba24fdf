package ffmpeg_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tone is 3 seconds with a sound from 1 s to 2 s, in stereo.
const tone = "-f lavfi -i aevalsrc='0.5*sin(2764*t)*between(t,1,2)|0.5*sin(2764*t)*between(t,1,2)':s=44100:d=3 "

// common are the recipes of the common formats.
var common = map[string]string{
	"pcm.wav":       "",
	"adpcm.wav":     "-c:a adpcm_ms",
	"float.wav":     "-c:a pcm_f32le -ar 96000",
	"big.w64":       "",
	"a.mp3":         "",
	"bare.mp3":      "-write_xing 0 -id3v2_version 0",
	"a.flac":        "",
	"vorbis.ogg":    "-c:a libvorbis",
	"opus.ogg":      "-c:a libopus -ar 48000",
	"a.aac":         "",
	"end.m4a":       "",
	"front.m4a":     "-movflags +faststart",
	"a.mov":         "",
	"a.3gp":         "-c:a aac",
	"fragments.mp4": "-movflags frag_keyframe+empty_moov -frag_duration 500000",
	"a.mka":         "-c:a libvorbis",
	"a.webm":        "-c:a libopus -ar 48000",
	"a.ts":          "-c:a mp2",
	"a.mpg":         "-c:a mp2",
	"a.avi":         "-c:a mp3",
	"a.flv":         "-c:a mp3",
	"a.wma":         "",
	"a.aiff":        "",
	"a.caf":         "-c:a pcm_s16be",
}

func TestNormalizeReadsTheCommonFormats(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	for name, recipe := range common {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := normalize(t, record(t, name, tone+recipe), time.Hour)
			require.NoError(t, err)
			require.InDelta(t, 3, got.Duration.Seconds(), 0.12)
			got.requireTone(t, 1, 2)
		})
	}
}

// TestTheMediaClock: sample 0 is where the media starts, not where its sound does.
func TestTheMediaClock(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	const picture, late = "-f lavfi -i testsrc=d=8:s=64x64:r=10 ", "-itsoffset 3 -f lavfi -i sine=d=2:r=48000 -pix_fmt yuv420p "
	for name, codecs := range map[string]string{
		"late.mkv":  "-c:v libx264 -c:a aac",
		"late.mp4":  "-c:v libx264 -c:a aac",
		"late.mov":  "-c:v libx264 -c:a pcm_s16le",
		"late.webm": "-c:v libvpx -c:a libopus",
		"late.ts":   "-c:v mpeg2video -c:a mp2",
		"late.mpg":  "-c:v mpeg2video -c:a mp2",
		"late.flv":  "-c:v flv -c:a mp3 -ar 44100",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := normalize(t, record(t, name, picture+late+codecs), time.Hour)
			require.NoError(t, err)
			got.requireTone(t, 3, 5)
		})
	}
	t.Run("a gap stays a gap", func(t *testing.T) {
		t.Parallel()
		got, err := normalize(t, record(t, "gap.mkv",
			"-f lavfi -i aevalsrc=0.5*sin(2764*t)*between(t\\,5\\,6):d=7 -af aselect=not(between(t\\,1\\,4)) -c:a pcm_s16le"), time.Hour)
		require.NoError(t, err)
		got.requireTone(t, 5, 6)
	})
	for name, codec := range map[string]string{
		"a.mkv": "aac", "a.m4a": "aac", "a.ts": "mp2", "a.flv": "mp3", "a.wma": "wmav2",
	} {
		t.Run("500 s after 0 in "+name, func(t *testing.T) {
			t.Parallel()
			in := record(t, name, tone+"-output_ts_offset 500 -c:a "+codec)
			info, err := ffmpeg.New(host(t, "")).Probe(t.Context(), in)
			require.NoError(t, err)
			require.InDelta(t, 3, info.Duration.Seconds(), 0.2)
			got, err := normalize(t, in, time.Hour)
			require.NoError(t, err)
			got.requireTone(t, 1, 2)
		})
	}
	t.Run("cut out of a longer one", func(t *testing.T) {
		t.Parallel()
		whole := record(t, "whole.m4a", tone+"-c:a aac")
		got, err := normalize(t, record(t, "part.m4a", "-ss 0.51 -i "+whole+" -t 2 -c copy"), time.Hour)
		require.NoError(t, err)
		got.requireTone(t, 0.49, 1.49)
	})
	t.Run("a gap of hours", func(t *testing.T) {
		t.Parallel()
		got, err := normalize(t, record(t, "far.mkv",
			"-f lavfi -i color=d=10:s=32x32:r=1 -itsoffset 9000 -f lavfi -i sine=d=2 -ac 2 -c:v libx264 -c:a aac"), 12*time.Hour)
		require.NoError(t, err)
		got.requireTone(t, 9000, 9002)
		got, err = normalize(t, record(t, "farther.mkv",
			"-f lavfi -i color=d=10:s=32x32:r=1 -itsoffset 90000 -f lavfi -i sine=d=2 -c:v libx264 -c:a aac"), time.Minute)
		require.NoError(t, err)
		require.Equal(t, time.Minute, got.Duration, "the silence before the sound")
	})
}

func TestFileNamesAreOnlyNames(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	data, err := os.ReadFile(record(t, "plain.mp3", tone))
	require.NoError(t, err)
	tool := ffmpeg.New(host(t, ""))
	for _, name := range []string{
		"-y", "-i.mp3", "a:b.mp3", "http:%2f%2fexample.org", "frame-%03d.mp3", "concat:a|b", "pipe:0", "x'y\"z $(id) *?.mp3",
		"new\nline.mp3", "…\xff.mp3", "no extension", "wrong.txt", "list.m3u8", "a,b;c#d?e.mp3",
	} {
		in := write(t, name, string(data))
		out := filepath.Join(t.TempDir(), name)
		audio, err := tool.Normalize(t.Context(), in, out, engine.NormalizeOptions{Max: time.Hour})
		require.NoError(t, err, "%q", name)
		require.InDelta(t, 3, audio.Duration.Seconds(), 0.1, "%q", name)
		require.FileExists(t, out, "%q", name)
	}
}

func TestDecodingStopsAtTheBound(t *testing.T) {
	t.Parallel()
	const bound = 2*time.Minute + 7*time.Second
	bomb := record(t, "bomb.flac", "-f lavfi -i anullsrc=r=8000:cl=mono:n=32768 -t 10800 -frame_size 32768")
	info, err := os.Stat(bomb)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(4<<20), "3 hours")

	tool := ffmpeg.New(host(t, ""))
	probed, err := tool.Probe(t.Context(), bomb)
	require.NoError(t, err)
	require.Equal(t, 3*time.Hour, probed.Duration)

	got, err := normalize(t, bomb, bound)
	require.NoError(t, err)
	require.Equal(t, bound, got.Duration)

	// The same with the count of samples in its header set to unknown.
	silent := withoutLength(t, bomb)
	probed, err = tool.Probe(t.Context(), silent)
	require.NoError(t, err)
	require.Zero(t, probed.Duration)
	require.True(t, probed.HasAudio)
	got, err = normalize(t, silent, bound)
	require.NoError(t, err)
	require.Equal(t, bound, got.Duration)

	t.Run("cancelled on the way", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := fmt.Errorf("the job was cancelled")
		out := filepath.Join(t.TempDir(), "out.wav")
		_, err := tool.Normalize(ctx, bomb, out, engine.NormalizeOptions{Max: 3 * time.Hour, Progress: func(time.Duration) { cancel(reason) }})
		require.ErrorIs(t, err, reason)
		require.NotErrorIs(t, err, transcript.UploadInvalid)
		assert.NoFileExists(t, out)
	})
	t.Run("with its progress", func(t *testing.T) {
		t.Parallel()
		var seen []time.Duration
		out := filepath.Join(t.TempDir(), "out.wav")
		audio, err := tool.Normalize(t.Context(), bomb, out, engine.NormalizeOptions{Max: time.Hour, Progress: func(done time.Duration) { seen = append(seen, done) }})
		require.NoError(t, err)
		require.NotEmpty(t, seen)
		require.IsIncreasing(t, append([]time.Duration{0}, seen...))
		require.Equal(t, audio.Duration, seen[len(seen)-1])
	})
}

// withoutLength copies a FLAC file and sets the count of its samples to unknown:
// the 36 bits at the end of bytes 18 to 26.
func withoutLength(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "fLaC", string(data[:4]))
	data[21] &= 0xf0
	clear(data[22:26])
	return write(t, "endless.flac", string(data))
}

func TestTheBoundIsNoCut(t *testing.T) {
	t.Parallel()
	in := record(t, "a.wav", "-f lavfi -i sine=d=60")
	for _, max := range []time.Duration{time.Second, 59*time.Second + 123*time.Millisecond, time.Minute, time.Hour} {
		got, err := normalize(t, in, max)
		require.NoError(t, err)
		require.Equal(t, min(max, time.Minute), got.Duration)
	}
}

func TestNormalizeRefusesAnImpossibleBound(t *testing.T) {
	t.Parallel()
	for _, max := range []time.Duration{-1, 0, 38 * time.Hour} {
		_, err := normalize(t, "irrelevant", max)
		require.ErrorContains(t, err, "max is")
	}
}

// TestTheServersOwnTrouble is never blamed on the file.
func TestTheServersOwnTrouble(t *testing.T) {
	t.Parallel()
	tool := ffmpeg.New(host(t, ""))
	in := record(t, "a.mp3", tone)

	_, err := tool.Normalize(t.Context(), in, filepath.Join(t.TempDir(), "absent", "out.wav"), engine.NormalizeOptions{Max: time.Hour})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, transcript.UploadInvalid)

	for _, path := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		_, err = tool.Probe(t.Context(), path)
		require.Error(t, err)
		require.NotErrorIs(t, err, transcript.UploadInvalid)
	}

	full := filepath.Join(t.TempDir(), "full.wav")
	require.NoError(t, os.Symlink("/dev/full", full))
	_, err = tool.Normalize(t.Context(), in, full, engine.NormalizeOptions{Max: time.Hour})
	require.ErrorContains(t, err, "no space left on device")
	require.NotErrorIs(t, err, transcript.UploadInvalid)
}

// TestNormalizeOnAFullDisk: a recording that the disk cut off is never taken for
// the whole, nor for the file's fault.
func TestNormalizeOnAFullDisk(t *testing.T) {
	t.Parallel()
	in := record(t, "a.wav", "-f lavfi -i sine=d=60")
	nstest.Disk(t, 1<<20, func(t *testing.T, dir string) {
		for _, room := range []int64{512 << 10, 100_000, 4096, 0} {
			some := filepath.Join(dir, "some")
			require.NoError(t, os.WriteFile(some, make([]byte, room), 0o600))
			free := nstest.Fill(t, dir)
			require.NoError(t, os.Remove(some))
			out := filepath.Join(dir, "out.wav")
			_, err := ffmpeg.New(host(t, "")).Normalize(t.Context(), in, out, engine.NormalizeOptions{Max: time.Hour})
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.NotErrorIs(t, err, transcript.UploadInvalid)
			require.NoFileExists(t, out)
			free()
		}
	})
}

// TestDamageInTheMiddle: what decodes to its full length is good enough.
func TestDamageInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.mp3", "a.m4a", "a.flac"} {
		data, err := os.ReadFile(record(t, name, "-f lavfi -i sine=d=20"))
		require.NoError(t, err)
		middle := len(data) / 2
		copy(data[middle:], strings.Repeat("damage", 40))
		got, err := normalize(t, write(t, name, string(data)), time.Hour)
		require.NoError(t, err, name)
		require.InDelta(t, 20, got.Duration.Seconds(), 0.4, name)
	}
}
