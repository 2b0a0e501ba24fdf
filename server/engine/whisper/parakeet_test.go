package whisper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Vocabularies of Parakeet models.
const (
	parakeetEnglish = 1024
	parakeetMany    = 8192
)

// writeParakeet writes the head of a Parakeet model, and returns its path.
func writeParakeet(t testing.TB, vocabulary int32) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, []int32{0x67676d6c, vocabulary, 5000, 1024, 8, 24, 128, 7}))
	path := filepath.Join(t.TempDir(), "ggml-parakeet-tdt-0.6b-v3-q8_0.bin")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// parakeetBench is a recognizer with a program in place of parakeet-cli.
type parakeetBench struct {
	*whisper.Parakeet
	dir string // of the program
}

// newParakeetBench returns a recognizer whose program writes heard to its log. script, of the
// shell, may do something else.
func newParakeetBench(t testing.TB, vocabulary int32, heard, script string) parakeetBench {
	t.Helper()
	dir, spool := t.TempDir(), t.TempDir()
	program, err := filepath.Abs("testdata/parakeet-cli")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(dir, "parakeet-cli")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "heard"), []byte(heard), 0o600))
	if script != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600))
	}
	programs, err := run.New(run.Config{Dir: spool, WithoutLandlock: true})
	require.NoError(t, err)
	p, err := whisper.NewParakeet(engine.Host{Programs: programs, Dir: spool}, whisper.CLIOptions{
		Program: filepath.Join(dir, "parakeet-cli"), Model: writeParakeet(t, vocabulary), ModelSHA256: strings.Repeat("5a", 32),
	})
	require.NoError(t, err)
	return parakeetBench{p, dir}
}

// piece is a token of the program: its text, times in 1/100 s, and probability.
type piece struct {
	text     string
	from, to int
	p        string
}

// parakeetSays is the list of segments that the program writes: one segment.
func parakeetSays(pieces ...piece) string {
	var b strings.Builder
	text := ""
	for _, p := range pieces {
		text += strings.ReplaceAll(p.text, "▁", " ")
	}
	fmt.Fprintf(&b, "Segments (1):\nSegment 0: [0 -> 1101] %q\nTokens [%d]:\n", strings.TrimSpace(text), len(pieces))
	for i, p := range pieces {
		fmt.Fprintf(&b, "  [%2d] id=%5d frame=%3d dur_idx=%2d dur_val=%2d p=%s plog=-15.6206 t0=%4d t1=%4d word_start=%v \"%s\"\n",
			i, 1976, p.from/8, 4, 4, p.p, p.from, p.to, strings.HasPrefix(p.text, "▁"), p.text)
	}
	return b.String()
}

func TestParakeetConformance(t *testing.T) {
	t.Parallel()
	var pieces []piece
	for i, word := range strings.Fields(sentence) {
		pieces = append(pieces, piece{"▁" + word, 20 + 90*i, 90 + 90*i, "0.9"})
	}
	sample := enginetest.Sample{Path: speechtest.Say(t, sentence), Language: "en", Text: sentence}
	for name, vocabulary := range map[string]int32{"English only": parakeetEnglish, "25 languages": parakeetMany} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.Recognizer(t, newParakeetBench(t, vocabulary, parakeetSays(pieces...), "").Parakeet, sample)
		})
	}
}

func TestParakeetInfo(t *testing.T) {
	t.Parallel()
	many := newParakeetBench(t, parakeetMany, "", "").Info()
	assert.Equal(t, "parakeet-cli", many.Name)
	assert.Equal(t, "parakeet-tdt-0.6b-v3-q8_0", many.Model)
	assert.Equal(t, strings.Repeat("5a", 32), many.ModelSHA256)
	assert.Len(t, many.Languages, 25)
	assert.True(t, many.Detects)
	assert.False(t, many.Prompts)

	english := newParakeetBench(t, parakeetEnglish, "", "").Info()
	assert.Equal(t, []string{"en"}, english.Languages)
	assert.False(t, english.Detects)
}

func TestParakeetWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, log string
		want      []string // of four seconds of audio
	}{
		{"words of several tokens, and punctuation", parakeetSays(
			piece{"▁And", 24, 56, "0.9996"}, piece{"▁so", 56, 88, "0.9"}, piece{",", 88, 88, "0.8"}, piece{"▁f", 104, 128, "1.0"}, piece{"ell", 128, 152, "1.0"}, piece{"ows", 152, 176, "1.0"}, piece{".", 176, 176, "0.9"}),
			[]string{"And so, fellows. 0.240-1.760 [And 0.240-0.560, so, 0.560-0.880, fellows. 1.040-1.760]"}},
		{"a pause ends a segment", parakeetSays(piece{"▁ask", 10, 40, "1"}, piece{"▁not", 200, 240, "1"}),
			[]string{"ask 0.100-0.400 [ask 0.100-0.400]", "not 2.000-2.400 [not 2.000-2.400]"}},
		{"tokens without text", parakeetSays(piece{"<unk>", 0, 0, "1"}, piece{"<|en|>", 0, 0, "1"}, piece{"▁yes", 10, 40, "1"}, piece{"</s>", 40, 40, "1"}),
			[]string{"yes 0.100-0.400 [yes 0.100-0.400]"}},
		{"a quote, and a token like another line", parakeetSays(piece{"▁\"", 10, 40, "1"}, piece{"Segments (9):", 40, 80, "1"}),
			[]string{`"Segments (9): 0.100-0.800 ["Segments (9): 0.100-0.800]`}},
		{"an end behind the audio", parakeetSays(piece{"▁yes", 380, 900, "1"}), []string{"yes 3.800-4.000 [yes 3.800-4.000]"}},
		{"no number", parakeetSays(piece{"▁yes", 10, 40, "-nan"}, piece{"▁no", 40, 80, "nan"}), []string{"yes no 0.100-0.800 [yes 0.100-0.400, no 0.400-0.800]"}},
		{"half a character", parakeetSays(piece{"▁caf\xc3", 10, 40, "1"}, piece{"\xa9", 40, 80, "1"}), []string{"café 0.000-4.000"}},
		{"a word without length", parakeetSays(piece{"▁yes", 10, 10, "1"}), []string{"yes 0.100-4.000 [yes 0.100-0.100]"}},
		{"nothing", "Segments (0):\n", nil},
		{"only tokens without text", parakeetSays(piece{"</s>", 0, 0, "1"}), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			heard, err := newParakeetBench(t, parakeetMany, tt.log, "").Recognize(t.Context(), noise(t, 4*time.Second), engine.RecognizeOptions{Language: "de-AT"})
			require.NoError(t, err)
			assert.Equal(t, "de-AT", heard.Language)
			assert.Equal(t, tt.want, view(heard))
			for _, s := range heard.Segments {
				for _, w := range s.Words {
					assert.True(t, w.Confidence >= 0 && w.Confidence <= 1, "%v", w)
				}
			}
		})
	}
}

// The log was written by the program itself, with the random weights of its own tests.
func TestParakeetRealLog(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile("testdata/parakeet-noise.log")
	require.NoError(t, err)
	heard, err := newParakeetBench(t, parakeetMany, string(log), "").Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	assert.Empty(t, heard.Language)
	assert.Equal(t, []string{"eb 0.080-0.160 [eb 0.080-0.160]"}, view(heard))
}

func TestParakeetArguments(t *testing.T) {
	t.Parallel()
	b := newParakeetBench(t, parakeetMany, "Segments (0):\n", "")
	audio := noise(t, time.Second)
	_, err := b.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: "fr", Prompt: secretName})
	require.NoError(t, err)
	args, err := os.ReadFile(filepath.Join(b.dir, "args"))
	require.NoError(t, err)
	assert.Regexp(t, `^-m\n.*/ggml-parakeet-tdt-0\.6b-v3-q8_0\.bin\n-f\n`+audio.Path+`\n-ps\n-np\n$`, string(args))
}

const secretName = "Xanthippe"

func TestParakeetFaults(t *testing.T) {
	t.Parallel()
	half := strings.Split(parakeetSays(piece{"▁yes", 10, 40, "1"}, piece{"▁no", 40, 80, "1"}), "\n")
	for _, tt := range []struct {
		name, script string
		code         transcript.Code
		says, logs   string // what the caller reads, what the log does
	}{
		{"not decodable, with exit code 0", "echo \"error: failed to read audio file 'x'\" >&2; exit 0", transcript.Internal, "failed", "failed to read audio file"},
		{"no audio, with exit code 0", "echo \"error: no audio data in file 'x'\" >&2; exit 0", transcript.Internal, "failed", "no audio data"},
		{"no model", "echo \"error: failed to load Parakeet model from 'x'\" >&2; exit 1", transcript.ConfigError, "v3-q8_0.bin cannot be used by parakeet-cli", "failed to load"},
		{"an option that it does not know", "echo 'error: unknown argument: -ps' >&2; exit 1", transcript.ConfigError, "parakeet-cli is too old", "-ps"},
		{"killed", "kill -9 $$", transcript.Internal, "failed", "killed"},
		{"nothing at all", "exit 0", transcript.Internal, "failed", "no list of segments"},
		{"half of the list", "echo '" + strings.Join(half[:4], "\n") + "' >&2", transcript.Internal, "failed", "no list of segments"},
		{"no segment of the list", "echo 'Segments (1):' >&2", transcript.Internal, "failed", "no list of segments"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newParakeetBench(t, parakeetMany, "", tt.script)
			_, err := b.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code, "%v", err)
			assert.Contains(t, e.Message, tt.says)
			require.Error(t, e.Err)
			assert.Contains(t, e.Err.Error(), tt.logs)
			assert.Equal(t, "parakeet-cli", e.Details["engine"])
		})
	}
}

func TestParakeetRefusesLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		vocabulary int32
		tag        string
	}{{parakeetMany, "ja"}, {parakeetMany, "nb"}, {parakeetMany, "qaa"}, {parakeetEnglish, "de"}} {
		_, err := newParakeetBench(t, tt.vocabulary, "", "").Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{Language: tt.tag})
		var e *transcript.Error
		require.ErrorAs(t, err, &e, tt.tag)
		assert.Equal(t, transcript.NotImplemented, e.Code)
		assert.Equal(t, map[string]any{"language": tt.tag, "engine": "parakeet-cli"}, e.Details)
	}
}

// A model of Whisper is no model of Parakeet, and the other way round.
func TestModelsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	_, err := whisper.NewParakeet(engine.Host{}, whisper.CLIOptions{Model: writeModel(t, "ggml-base.bin", multilingual)})
	require.ErrorIs(t, err, transcript.ConfigError)
	assert.ErrorContains(t, errors.Unwrap(err), "it is no Parakeet model")
	_, err = whisper.NewCLI(engine.Host{}, whisper.CLIOptions{Model: writeParakeet(t, parakeetMany)})
	require.ErrorIs(t, err, transcript.ConfigError)
	assert.ErrorContains(t, errors.Unwrap(err), "it is no model of Whisper")
}

func TestParakeetCheck(t *testing.T) {
	t.Parallel()
	b := newParakeetBench(t, parakeetMany, "", "")
	require.NoError(t, b.Check(t.Context()))
	require.NoError(t, os.Remove(filepath.Join(b.dir, "parakeet-cli")))
	err := b.Check(t.Context())
	require.ErrorIs(t, err, transcript.ConfigError)
	assert.ErrorContains(t, err, "parakeet-cli is not installed")
}
