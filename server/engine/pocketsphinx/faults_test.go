package pocketsphinx_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hostWith returns a host on which pocketsphinx_continuous is that shell script,
// and missing when it is empty.
func hostWith(t *testing.T, script string) engine.Host {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	if script != "" {
		path := filepath.Join(bin, "pocketsphinx_continuous")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+script+"\n"), 0o700))
	}
	programs, err := run.New(run.Config{Dir: dir, Path: bin, WithoutLandlock: true}) // it has none of the real one's files
	require.NoError(t, err)
	return engine.Host{Programs: programs, Dir: dir}
}

func second(t *testing.T) engine.Audio {
	t.Helper()
	path := filepath.Join(t.TempDir(), "second.wav")
	require.NoError(t, speechtest.WriteFile(path, make([]byte, 32000)))
	return engine.Audio{Path: path, Duration: time.Second}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		code         transcript.Code
		says, logs   string // what the caller reads, what the log does
	}{
		{"not installed", "", transcript.ConfigError, "Debian packages pocketsphinx and pocketsphinx-en-us", "not found"},
		{"no model", `cat >/dev/null; echo 'ERROR: "acmod.c", line 75: Acoustic model definition is not specified either with -mdef option or with -hmm' >&2; exit 1`,
			transcript.ConfigError, "Debian packages pocketsphinx and pocketsphinx-en-us", "acmod.c"},
		{"exit code 1 with nothing", "exit 1", transcript.Internal, "failed", "exit code 1: nothing in its log"},
		{"exit code 1 with words", "cat >/dev/null; echo seven; echo 'seven 0.1 0.2 0.9'; exit 1", transcript.Internal, "failed", "exit code 1"},
		{"last words", "echo 'INFO: loading' >&2; printf 'calloc failed' >&2; exit 255", transcript.Internal, "failed", "exit code 255: calloc failed"},
		{"killed", "kill -9 $$", transcript.Internal, "failed", "killed"},
		{"does not listen", "exit 0", transcript.Internal, "failed", "of 160000 samples"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			audio := second(t)
			require.NoError(t, speechtest.WriteFile(audio.Path, make([]byte, 320000))) // more than a pipe holds
			_, err := pocketsphinx.New(hostWith(t, tt.script)).Recognize(t.Context(), audio, engine.RecognizeOptions{})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code)
			assert.Contains(t, e.Message, tt.says)
			assert.ErrorContains(t, err, tt.logs)
		})
	}
}

func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	err := pocketsphinx.New(hostWith(t, "")).Check(t.Context())
	require.ErrorIs(t, err, transcript.ConfigError)
	var missing *exec.Error
	require.ErrorAs(t, err, &missing)

	err = pocketsphinx.New(hostWith(t, "echo 'ERROR: no acoustic model definition' >&2; exit 1")).Check(t.Context())
	require.ErrorIs(t, err, transcript.ConfigError)
}

// Check tries the program only until that has succeeded.
func TestCheckTriesOnce(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count")
	r := pocketsphinx.New(hostWith(t, "cat >/dev/null; echo run >>"+count))
	for range 3 {
		require.NoError(t, r.Check(t.Context()))
	}
	runs, err := os.ReadFile(count)
	require.NoError(t, err)
	assert.Equal(t, "run\n", string(runs))
}

func TestStopsWithTheCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	draining := errors.New("draining")
	begun := false
	_, err := pocketsphinx.New(hostWith(t, "cat >/dev/null; sleep 60")).Recognize(ctx, second(t), engine.RecognizeOptions{
		Progress: func(time.Duration) { begun = true; cancel(draining) },
	})
	require.ErrorIs(t, err, draining)
	var coded *transcript.Error
	require.NotErrorAs(t, err, &coded, "a call that was stopped has not failed")
	assert.True(t, begun)
}

func TestReadsTheOutput(t *testing.T) {
	t.Parallel()
	word := func(text string, start, end, confidence float64) transcript.Word {
		return transcript.Word{Text: text, Start: start, End: end, Confidence: confidence}
	}
	tests := []struct {
		name, output string
		want         []transcript.Word
	}{
		{"nothing", ``, nil},
		{"no words", "\n<s> 0.000 0.610 1.000000\n</s> 0.620 0.650 1.000000\n", nil},
		{"words", "a b\n<s> 0.000 0.090 0.9\na 0.100 0.200 0.5\n<sil> 0.210 0.290 0.7\nb(2) 0.300 0.400 0.25\n</s> 0.5 0.6 1.0\n",
			[]transcript.Word{word("a", 0.1, 0.2, 0.5), word("b", 0.3, 0.4, 0.25)}},
		{"fillers", "x\n[NOISE] 0.100 0.200 0.9\n[SPEECH] 0.2 0.3 0.9\n++UH++ 0.200 0.300 0.9\nx(12) 0.300 0.400 0.9\n", []transcript.Word{word("x", 0.3, 0.4, 0.9)}},
		{"an apostrophe and a dot", "it's mr.\nit's 0.1 0.2 0.9\nmr. 0.2 0.3 0.9\n", []transcript.Word{word("it's", 0.1, 0.2, 0.9), word("mr.", 0.2, 0.3, 0.9)}},
		{"confidence above 1", "a\na 0.100 0.200 1.000500\n", []transcript.Word{word("a", 0.1, 0.2, 1)}},
		{"noise", "ah\nah 0.030 0.610 0.044867\n", nil},
		{"a word after noise", "ah\nah 0.1 0.2 0.04\nyes\nyes 0.3 0.4 0.9\n", []transcript.Word{word("yes", 0.3, 0.4, 0.9)}},
		{"low confidence among others", "a b\na 0.100 0.200 0.01\nb 0.2 0.3 0.01\n", []transcript.Word{word("a", 0.1, 0.2, 0.01), word("b", 0.2, 0.3, 0.01)}},
		{"text that looks like a word", "1 2 3 4\nfour 0.1 0.2 0.9\n", []transcript.Word{word("four", 0.1, 0.2, 0.9)}},
		{"after the audio", "a b\na 0.900 1.200 0.9\nb 1.200 1.400 0.9\n", []transcript.Word{word("a", 0.9, 1, 0.9)}},
		{"no line end", "a\na 0.100 0.200 0.9", []transcript.Word{word("a", 0.1, 0.2, 0.9)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			output := filepath.Join(t.TempDir(), "output")
			require.NoError(t, os.WriteFile(output, []byte(tt.output), 0o600))
			// In small pieces, as a pipe may deliver them.
			script := "cat >/dev/null; dd bs=7 2>/dev/null if=" + output
			heard, err := pocketsphinx.New(hostWith(t, script)).Recognize(t.Context(), second(t), engine.RecognizeOptions{})
			require.NoError(t, err)
			var words []transcript.Word
			for _, s := range heard.Segments {
				words = append(words, s.Words...)
			}
			assert.Equal(t, tt.want, words)
		})
	}
}
