package whisper_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const sentence = "First it looks for the places where nobody is speaking."

func TestCLIConformance(t *testing.T) {
	t.Parallel()
	sample := enginetest.Sample{Path: speechtest.Say(t, sentence), Language: "en", Text: sentence}
	for name, vocabulary := range map[string]int32{"English only": onlyEnglish, "multilingual": multilingual} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heard := cliOutput(t, "en", said{sentence, 200, 9600})
			enginetest.Recognizer(t, newBench(t, vocabulary, heard, "").CLI, sample)
		})
	}
}

func TestCLIInfo(t *testing.T) {
	t.Parallel()
	english := newBench(t, onlyEnglish, "", "").Info()
	assert.Equal(t, engine.RecognizerInfo{Name: "whisper-cli", Model: "base", Quality: english.Quality, Languages: []string{"en"}, Chunk: 5 * time.Minute, Window: 30 * time.Second, Prompts: true}, english)
	assert.Contains(t, english.Quality, "base: ")

	told, err := whisper.NewCLI(engine.Host{}, whisper.CLIOptions{
		Model: writeModel(t, "ggml-base.bin", onlyEnglish), ModelSHA256: "5a",
	})
	require.NoError(t, err)
	assert.Equal(t, "5a", told.Info().ModelSHA256)

	many := newBench(t, multilingual, "", "").Info()
	assert.True(t, many.Detects)
	assert.Subset(t, many.Languages, []string{"en", "de", "jv", "nb", "yue"})
	assert.NotContains(t, many.Languages, "jw")
}

func TestCLIArguments(t *testing.T) {
	t.Parallel()
	audio := noise(t, time.Second)
	for _, tt := range []struct {
		vocabulary  int32
		asked, told string
		language    string // of what was heard
	}{
		{multilingual, "", "auto", "fr"},
		{multilingual, "fr", "fr", "fr"},
		{multilingual, "fr-CA", "fr", "fr-CA"},
		{multilingual, "nb-NO", "no", "nb-NO"},
		{multilingual, "jv", "jw", "jv"},
		{onlyEnglish, "", "en", "en"},
		{onlyEnglish, "EN_gb", "en", "EN_gb"},
	} {
		t.Run(tt.asked+" as "+tt.told, func(t *testing.T) {
			t.Parallel()
			language := "fr"
			if tt.vocabulary == onlyEnglish {
				language = "en"
			}
			b := newBench(t, tt.vocabulary, cliOutput(t, language, said{"oui", 0, 500}), "")
			heard, err := b.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tt.asked})
			require.NoError(t, err)
			assert.Equal(t, tt.language, heard.Language)
			args := b.args(t)
			require.Greater(t, len(args), 2)
			assert.Equal(t, []string{"-f", audio.Path, "-l", tt.told, "-ojf", "-of", "heard", "-pp", "-np", "-mc", "0"}, args[2:])
		})
	}
}

func TestCLIThreads(t *testing.T) {
	t.Parallel()
	b := newBench(t, multilingual, cliOutput(t, "en"), "")
	threaded, err := whisper.NewCLI(b.host, whisper.CLIOptions{
		Program: filepath.Join(b.dir, "whisper-cli"), Model: writeModel(t, "m.bin", multilingual), Threads: 3,
	})
	require.NoError(t, err)
	_, err = threaded.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	args := b.args(t)
	assert.Equal(t, []string{"-t", "3"}, args[len(args)-2:])
}

// crowded runs programs that end when they are told, and complains of more than one.
type crowded struct {
	engine.Runner
	t              *testing.T
	entered, leave chan struct{}
	underWay       atomic.Int32
}

func (c *crowded) Run(ctx context.Context, cmd engine.Command) (engine.Exit, error) {
	if c.underWay.Add(1) > 1 {
		c.t.Error("two programs at once")
	}
	c.entered <- struct{}{}
	<-c.leave
	defer c.underWay.Add(-1)
	return c.Runner.Run(ctx, cmd)
}

// Programs share the processors, and each takes the memory of a model: one that
// computes with all of them runs alone, and who waits can leave.
func TestCLIWaitsForProcessors(t *testing.T) {
	t.Parallel()
	b := newBench(t, multilingual, cliOutput(t, "en"), "")
	programs := &crowded{Runner: b.host.Programs, t: t, entered: make(chan struct{}), leave: make(chan struct{})}
	b.host.Programs = programs
	cli, err := whisper.NewCLI(b.host, whisper.CLIOptions{
		Program: filepath.Join(b.dir, "whisper-cli"), Model: writeModel(t, "m.bin", multilingual), Threads: runtime.GOMAXPROCS(0),
	})
	require.NoError(t, err)
	audio := noise(t, time.Second)
	const calls = 3
	done := make(chan error, calls)
	for range calls {
		go func() {
			_, err := cli.Recognize(t.Context(), audio, engine.RecognizeOptions{})
			done <- err
		}()
	}
	<-programs.entered
	why := errors.New("not wanted any more")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	_, err = cli.Recognize(ctx, audio, engine.RecognizeOptions{})
	require.ErrorIs(t, err, why)
	for i := range calls {
		programs.leave <- struct{}{}
		require.NoError(t, <-done)
		if i < calls-1 {
			<-programs.entered
		}
	}
}

func TestCLIOutput(t *testing.T) {
	t.Parallel()
	const head = `{"result":{"language":"en"},"transcription":[`
	for _, tt := range []struct {
		name, output string
		want         []string // of two seconds of audio
	}{
		{"words", cliOutput(t, "en", said{"hello, world.", 200, 1400}),
			[]string{"hello, world. 0.200-1.400 [hello, 0.200-0.800, world. 0.800-1.400]"}},
		{"an end behind the audio", cliOutput(t, "en", said{"go on", 1000, 9000}),
			[]string{"go on 1.000-2.000 [go 1.000-2.000, on 2.000-2.000]"}},
		{"behind the audio", cliOutput(t, "en", said{"yes", 100, 900}, said{"thank you", 2000, 3000}),
			[]string{"yes 0.100-0.900 [yes 0.100-0.900]"}},
		{"without length", cliOutput(t, "en", said{"a", 100, 900}, said{"b", 900, 900}, said{"c", 900, 1000}, said{"d", 1100, 1100}),
			[]string{"a 0.100-0.900 [a 0.100-0.900]", "b c 0.900-1.000 [b 0.900-0.900, c 0.900-1.000]", "d 1.100-2.000 [d 1.100-1.100]"}},
		{"without text", head + `{"offsets":{"from":0,"to":900},"text":" "}]}`, nil},
		{"silence", head + `{"offsets":{"from":0,"to":900},"text":" [BLANK_AUDIO]"}]}`, nil},
		{"words beyond their segment", head + `{"offsets":{"from":100,"to":900},"text":" a","tokens":[{"text":" a","offsets":{"from":0,"to":1500},"p":1}]}]}`,
			[]string{"a 0.100-0.900 [a 0.100-0.900]"}},
		{"out of order", cliOutput(t, "en", said{"b", 900, 1000}, said{"a", 100, 900}),
			[]string{"a 0.100-0.900 [a 0.100-0.900]", "b 0.900-1.000 [b 0.900-1.000]"}},
		{"no tokens", head + `{"offsets":{"from":0,"to":900},"text":" yes"}]}`, []string{"yes 0.000-0.900"}},
		{"no times of tokens", head + `{"offsets":{"from":0,"to":900},"text":" yes","tokens":[{"text":" yes","p":1}]}]}`,
			[]string{"yes 0.000-0.900"}},
		{"times that go back", head + `{"offsets":{"from":0,"to":900},"text":" a b","tokens":[
			{"text":" a","offsets":{"from":500,"to":600},"p":1},{"text":" b","offsets":{"from":200,"to":100},"p":1}]}]}`,
			[]string{"a b 0.000-0.900 [a 0.500-0.600, b 0.500-0.500]"}},
		{"a line break in a string", head + "{\"offsets\":{\"from\":0,\"to\":900},\"text\":\" yes\n\tno\"}]}", []string{"yes no 0.000-0.900"}},
		{"half a character", head + "{\"offsets\":{\"from\":0,\"to\":900},\"text\":\" é\",\"tokens\":[" +
			"{\"text\":\" \xc3\",\"offsets\":{\"from\":0,\"to\":100},\"p\":1},{\"text\":\"\xa9\",\"offsets\":{\"from\":100,\"to\":200},\"p\":1}]}]}",
			[]string{"é 0.000-0.900"}},
		{"no spaces between words", `{"result":{"language":"zh"},"transcription":[{"offsets":{"from":0,"to":900},"text":"你好。","tokens":[
			{"text":"你","offsets":{"from":0,"to":300},"p":1},{"text":"好","offsets":{"from":300,"to":600},"p":1},{"text":"。","offsets":{"from":600,"to":900},"p":1}]}]}`,
			[]string{"你好。 0.000-0.900 [你 0.000-0.300, 好。 0.300-0.900]"}},
		{"nothing", head + `]}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			heard, err := newBench(t, multilingual, tt.output, "").Recognize(t.Context(), noise(t, 2*time.Second), engine.RecognizeOptions{})
			require.NoError(t, err)
			assert.Equal(t, tt.want, view(heard))
		})
	}
}

// A word is as sure as its tokens are on average, and a segment as its words.
func TestConfidence(t *testing.T) {
	t.Parallel()
	output := `{"result":{"language":"en"},"transcription":[{"offsets":{"from":0,"to":900},"text":" abc d","tokens":[
		{"text":" a","offsets":{"from":0,"to":100},"p":0.9},{"text":"b","offsets":{"from":100,"to":200},"p":0.6},
		{"text":"c","offsets":{"from":200,"to":300},"p":0.3},{"text":" d","offsets":{"from":300,"to":400},"p":1.2}]}]}`
	heard, err := newBench(t, multilingual, output, "").Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	require.Len(t, heard.Segments, 1)
	words := heard.Segments[0].Words
	require.Len(t, words, 2)
	assert.InDelta(t, 0.6, words[0].Confidence, 1e-9)
	assert.InDelta(t, 1.0, words[1].Confidence, 1e-9)
	require.NotNil(t, heard.Segments[0].Confidence)
	assert.InDelta(t, 0.8, *heard.Segments[0].Confidence, 1e-9)
}

func TestCLIProgress(t *testing.T) {
	t.Parallel()
	script := `printf 'whisper_print_progress_callback: prog' >&2
echo 'ress =  25%' >&2
echo 'whisper_print_progress_callback: progress =  75%' >&2
echo 'whisper_print_progress_callback: progress =  50%' >&2
echo 'whisper_print_progress_callback: progress = 272%' >&2
cp "$here/heard.json" "$out.json"`
	var reports []time.Duration
	_, err := newBench(t, multilingual, cliOutput(t, "en"), script).Recognize(t.Context(), noise(t, 4*time.Second), engine.RecognizeOptions{
		Progress: func(done time.Duration) { reports = append(reports, done) },
	})
	require.NoError(t, err)
	assert.Equal(t, []time.Duration{time.Second, 3 * time.Second, 4 * time.Second, 4 * time.Second}, reports)
}

func TestCLIFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		code         transcript.Code
		says, logs   string // what the caller reads, what the log does
	}{
		{"no model", "echo 'error: failed to initialize whisper context' >&2; exit 3", transcript.ConfigError, "ggml-base.bin cannot be used", "failed to initialize"},
		{"no model, in silence", "exit 3", transcript.ConfigError, "get one that is whole, such as ggml-small.bin", "nothing in its log"},
		{"not decodable", "echo \"error: failed to read audio file 'x'\" >&2; exit 0", transcript.Internal, "failed", "failed to read audio file"},
		{"no file", "echo \"error: input file not found 'x'\" >&2; exit 2", transcript.Internal, "failed", "exit code 2: error: input file not found"},
		{"language that it does not know", "echo \"error: unknown language 'yue'\" >&2; exit 0", transcript.NotImplemented, `the language "yue"`, "unknown language"},
		{"option that it does not know", "echo 'error: unknown argument: -ojf' >&2; echo 'usage: x' >&2; exit 0", transcript.ConfigError, "too old", "-ojf"},
		{"processing", "echo 'whisper-cli: failed to process audio' >&2; exit 10", transcript.Internal, "failed", "exit code 10: whisper-cli: failed to process"},
		{"last words without an end", "printf 'GGML_ASSERT failed' >&2; exit 1", transcript.Internal, "failed", "GGML_ASSERT failed"},
		{"killed", "kill -9 $$", transcript.Internal, "failed", "killed"},
		{"cut off", `printf '{"transcription":[{"te' >"$out.json"`, transcript.Internal, "failed", "unexpected end of JSON"},
		{"other JSON", `echo '{}' >"$out.json"`, transcript.Internal, "failed", "without a transcription"},
		{"no output", "exit 0", transcript.Internal, "failed", "no output"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, multilingual, "", tt.script)
			_, err := b.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Language: "yue"})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code, "%v", err)
			assert.Contains(t, e.Message, tt.says)
			require.Error(t, e.Err)
			assert.Contains(t, e.Err.Error(), tt.logs)
			assert.Equal(t, "whisper-cli", e.Details["engine"])
			left, err := os.ReadDir(b.host.Dir)
			require.NoError(t, err)
			assert.Empty(t, left, "scratch files")
		})
	}
}

// The output counts, not the exit code.
func TestCLIExitCodeProvesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, multilingual, cliOutput(t, "en", said{"yes", 0, 500}), `cp "$here/heard.json" "$out.json"; exit 1`)
	heard, err := b.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.Len(t, heard.Segments, 1)
}

func TestCLIRefusesLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		vocabulary int32
		tag        string
	}{{multilingual, "qaa"}, {multilingual, "-m"}, {onlyEnglish, "de"}, {onlyEnglish, "enm"}} {
		_, err := newBench(t, tt.vocabulary, "", "").Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Language: tt.tag})
		var e *transcript.Error
		require.ErrorAs(t, err, &e, tt.tag)
		assert.Equal(t, transcript.NotImplemented, e.Code)
		assert.Equal(t, map[string]any{"language": tt.tag, "engine": "whisper-cli"}, e.Details)
	}
}

func TestCLIStops(t *testing.T) {
	t.Parallel()
	why := errors.New("not wanted any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBench(t, multilingual, "", "echo 'progress = 10%' >&2; sleep 60")
	_, err := b.Recognize(ctx, noise(t, time.Second), engine.RecognizeOptions{
		Progress: func(time.Duration) { cancel(why) },
	})
	require.ErrorIs(t, err, why)
}

func TestCLICheck(t *testing.T) {
	t.Parallel()
	b := newBench(t, multilingual, "", "")
	require.NoError(t, b.Check(t.Context()))
	require.NoError(t, os.Remove(filepath.Join(b.dir, "whisper-cli")))
	for _, err := range []error{b.Check(t.Context()), recognize(t, b)} {
		var e *transcript.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, transcript.ConfigError, e.Code)
		assert.Contains(t, e.Message, "not installed")
	}

	model := writeModel(t, "ggml-small.bin", multilingual)
	cli, err := whisper.NewCLI(b.host, whisper.CLIOptions{Program: "/bin/sh", Model: model})
	require.NoError(t, err)
	require.NoError(t, cli.Check(t.Context()))
	require.NoError(t, os.Remove(model))
	require.ErrorIs(t, cli.Check(t.Context()), transcript.ConfigError)
}

func recognize(t testing.TB, r engine.Recognizer) error {
	t.Helper()
	_, err := r.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	return err
}

func TestNewCLI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"other.bin": "GGUF and then some more bytes", "short.bin": "lmgg\x01"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for _, tt := range []struct {
		name string
		o    whisper.CLIOptions
		says string
	}{
		{"no model named", whisper.CLIOptions{}, "no model is named"},
		{"no such file", whisper.CLIOptions{Model: filepath.Join(dir, "ggml-base.bin")}, "no such file"},
		{"a directory", whisper.CLIOptions{Model: dir}, "is a directory"},
		{"another file", whisper.CLIOptions{Model: filepath.Join(dir, "other.bin")}, "no ggml model"},
		{"cut off", whisper.CLIOptions{Model: filepath.Join(dir, "short.bin")}, "cut off"},
		{"threads", whisper.CLIOptions{Model: writeModel(t, "m.bin", onlyEnglish), Threads: -1}, "-1 threads"},
	} {
		_, err := whisper.NewCLI(engine.Host{}, tt.o)
		assert.ErrorContains(t, err, tt.says, tt.name)
	}
	_, err := whisper.NewCLI(engine.Host{}, whisper.CLIOptions{Model: dir})
	require.ErrorIs(t, err, transcript.ConfigError)
}

func TestModelNamesAndSizes(t *testing.T) {
	t.Parallel()
	for file, name := range map[string]string{
		"ggml-base.en.bin": "base.en", "ggml-large-v3-turbo-q5_0.bin": "large-v3-turbo-q5_0", "mine.en": "mine.en",
	} {
		cli, err := whisper.NewCLI(engine.Host{}, whisper.CLIOptions{Model: writeModel(t, file, onlyEnglish)})
		require.NoError(t, err)
		assert.Equal(t, name, cli.Info().Model)
	}
}
