package ffmpeg_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var (
	_ engine.MediaTool = (*ffmpeg.Tool)(nil)
	_ engine.Checker   = (*ffmpeg.Tool)(nil)
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host returns a host whose programs are found in path; empty means the usual one.
func host(t *testing.T, path string) engine.Host {
	t.Helper()
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir, Path: path})
	require.NoError(t, err)
	return engine.Host{Programs: programs, Dir: dir}
}

// record makes a media file with ffmpeg. The words of recipe are its arguments;
// the file's name is added.
func record(t *testing.T, name, recipe string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	return recordAt(t, path, recipe)
}

func recordAt(t *testing.T, path, recipe string) string {
	t.Helper()
	args := append([]string{"-nostdin", "-v", "error"}, strings.Fields(recipe)...)
	exit, err := host(t, "").Programs.Run(t.Context(), engine.Command{
		Program: "ffmpeg", Args: append(args, "file:"+path), Limits: engine.Limits{Memory: 4 << 30},
		Writes: []string{os.TempDir()},
	})
	require.NoError(t, err)
	require.Zero(t, exit.Code, "%s", exit.Stderr)
	return path
}

// cut copies the first part of a file, given as a fraction.
func cut(t *testing.T, path string, part float64) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return write(t, "cut-"+filepath.Base(path), string(data[:int(float64(len(data))*part)]))
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// normalized is what Normalize has written.
type normalized struct {
	engine.Sound
	samples []int16
}

// normalize runs Normalize on a file that must be whole, and reads the WAV it has made.
func normalize(t *testing.T, in string, max time.Duration) (normalized, error) {
	t.Helper()
	return normalizeAs(t, in, engine.NormalizeOptions{Max: max, Whole: true})
}

// hear runs Normalize with options, on a file that it must be able to decode.
func hear(t *testing.T, in string, o engine.NormalizeOptions) normalized {
	t.Helper()
	if o.Max == 0 {
		o.Max = time.Hour
	}
	n, err := normalizeAs(t, in, o)
	require.NoError(t, err)
	return n
}

// normalizeAs runs Normalize and reads the WAV it has made, byte for byte.
func normalizeAs(t *testing.T, in string, o engine.NormalizeOptions) (normalized, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.wav")
	audio, err := ffmpeg.New(host(t, "")).Normalize(t.Context(), in, out, o)
	if err != nil {
		assert.Zero(t, audio)
		assert.NoFileExists(t, out, "a failure leaves nothing behind")
		return normalized{}, err
	}
	require.Equal(t, out, audio.Path)
	n := normalized{Sound: audio, samples: samplesOf(t, out)}
	require.Equal(t, time.Duration(len(n.samples))*time.Second/16000, audio.Duration)
	for c, channel := range audio.Channels {
		require.Equal(t, fmt.Sprintf("%s.%d.wav", out, c+1), channel.Path)
		require.Equal(t, audio.Duration, channel.Duration)
		require.Len(t, samplesOf(t, channel.Path), len(n.samples))
	}
	files, err := filepath.Glob(out + "*")
	require.NoError(t, err)
	require.Len(t, files, 1+len(audio.Channels), "no other files are left")
	return n, nil
}

// samplesOf reads a WAV in the normalized form, byte for byte.
func samplesOf(t *testing.T, path string) []int16 {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, body := data[:44], data[44:]

	want := []byte("RIFF")
	want = binary.LittleEndian.AppendUint32(want, uint32(len(data)-8))
	want = append(want, "WAVEfmt "...)
	want = binary.LittleEndian.AppendUint32(want, 16)
	for _, field := range []uint16{1, 1} { // PCM, mono
		want = binary.LittleEndian.AppendUint16(want, field)
	}
	want = binary.LittleEndian.AppendUint32(want, 16000)
	want = binary.LittleEndian.AppendUint32(want, 32000)
	want = binary.LittleEndian.AppendUint16(want, 2)
	want = binary.LittleEndian.AppendUint16(want, 16)
	want = append(want, "data"...)
	want = binary.LittleEndian.AppendUint32(want, uint32(len(body)))
	require.Equal(t, want, head)

	samples := make([]int16, len(body)/2)
	_, err = binary.Decode(body, binary.LittleEndian, samples)
	require.NoError(t, err)
	return samples
}

// pcm are the samples as bytes.
func (n normalized) pcm(t *testing.T) []byte {
	t.Helper()
	out, err := binary.Append(nil, binary.LittleEndian, n.samples)
	require.NoError(t, err)
	return out
}

// requireTone asserts that there is sound from start to end, in seconds, and
// silence before and after it. Encoders smear by some hundredths.
func (n normalized) requireTone(t *testing.T, start, end float64) {
	t.Helper()
	first, last := -1.0, -1.0
	for i, s := range n.samples {
		if s > 500 || s < -500 {
			last = float64(i) / 16000
			if first < 0 {
				first = last
			}
		}
	}
	require.InDelta(t, start, first, 0.06, "start of the sound")
	require.InDelta(t, end, last, 0.06, "end of the sound")
}

// requireInvalid asserts that err is UPLOAD_INVALID with a message that says what
// and betrays nothing of the server.
func requireInvalid(t *testing.T, err error, what string) {
	t.Helper()
	require.ErrorIs(t, err, transcript.UploadInvalid)
	var failure *transcript.Error
	require.ErrorAs(t, err, &failure)
	assert.Contains(t, failure.Message, what)
	assert.NotContains(t, failure.Message, "/")
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	in := write(t, "in.mp3", "anything")
	out := filepath.Join(t.TempDir(), "out.wav")
	one := t.TempDir()
	ffprobe, err := exec.LookPath("ffprobe")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(ffprobe, filepath.Join(one, "ffprobe")))

	for path, program := range map[string]string{t.TempDir(): "ffprobe", one: "ffmpeg"} {
		tool := ffmpeg.New(host(t, path))
		err := tool.Check(t.Context())
		require.ErrorIs(t, err, transcript.ConfigError)
		require.ErrorIs(t, err, exec.ErrNotFound)
		assert.Contains(t, err.Error(), "The program ffmpeg is missing")
		assert.Contains(t, err.Error(), "package ffmpeg")
		if program == "ffprobe" {
			_, err = tool.Probe(t.Context(), in)
			require.ErrorIs(t, err, transcript.ConfigError)
		} else {
			in = record(t, "in.wav", "-f lavfi -i sine=d=1")
		}
		_, err = tool.Normalize(t.Context(), in, out, engine.NormalizeOptions{Max: time.Hour})
		require.ErrorIs(t, err, transcript.ConfigError)
		assert.Contains(t, err.Error(), "The program "+program+" is missing")
		assert.NoFileExists(t, out)
	}
	require.NoError(t, ffmpeg.New(host(t, "")).Check(t.Context()))
}

// broken is a runner whose programs all end the same way.
type broken struct {
	exit engine.Exit
	err  error
}

func (b broken) Look(program string) (string, error) { return program, nil }

func (b broken) Run(context.Context, engine.Command) (engine.Exit, error) { return b.exit, b.err }

func TestOnlyTheFileIsToBlameForItsWork(t *testing.T) {
	t.Parallel()
	in := write(t, "in.mp3", "anything")
	probe := func(b broken) error {
		_, err := ffmpeg.New(engine.Host{Programs: b}).Probe(t.Context(), in)
		return err
	}
	requireInvalid(t, probe(broken{err: &engine.LimitError{Limit: "processor time"}}), "too much work")

	slow := &engine.LimitError{Limit: "wall time"}
	for _, err := range []error{
		probe(broken{err: slow}),
		probe(broken{err: &engine.LimitError{Limit: "file size"}}),
		probe(broken{exit: engine.Exit{Code: -1}}),
		probe(broken{err: context.Canceled}),
	} {
		require.Error(t, err)
		require.NotErrorIs(t, err, transcript.UploadInvalid)
	}
	require.ErrorIs(t, probe(broken{err: slow}), slow)
	require.ErrorIs(t, probe(broken{err: context.Canceled}), context.Canceled)
}

// manyRuns skips a test that starts ffmpeg many times, with -short: make test-all runs all.
func manyRuns(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many runs of another program: make test-all")
	}
}
