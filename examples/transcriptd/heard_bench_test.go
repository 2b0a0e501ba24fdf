package main

import (
	"cmp"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"      // prints a row of make bench
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest" // recordings whose words are known
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var (
	modelsFolder = flag.String("models", service.ModelsFolder(), "where pulled models are, for benchmarks")
	mostErrors   = flag.Float64("most-errors", 0, "the share of words that the recommended model may hear wrong; 0: any")
)

// recognizers are all that this machine has.
func recognizers(b *testing.B) (all []service.Choice) {
	b.Helper()
	flags := service.RecognizerFlags{ModelsFlag: service.ModelsFlag{Models: *modelsFolder}}
	with := func(asr service.ASR) {
		flags.ASR = asr
		all = append(all, service.Choice{RecognizerFlags: flags})
	}
	with(service.ASR{Name: service.ASRPocketsphinx})
	if service.FasterWhisper() != "" {
		with(service.ASR{Name: service.ASRFasterWhisper})
	}
	if found, ok := flags.Installed(); ok {
		with(found)
	}
	folder, err := flags.Folder()
	require.NoError(b, err)
	items, err := folder.List(b.Context())
	require.NoError(b, err)
	for _, program := range []string{models.WhisperCLI, models.ParakeetCLI} {
		best, err := folder.Best(b.Context(), program)
		if err != nil {
			require.ErrorIs(b, err, models.ErrNotInstalled)
			continue
		}
		for _, i := range items {
			if i.Kind == models.KindModel && i.State == models.StateInstalled && cmp.Or(i.Program, models.WhisperCLI) == program {
				with(service.ASR{Name: program, Model: i.Path, Program: best.Program, SHA256: i.SHA256})
			}
		}
	}
	return all
}

// named is a recognizer's name in a table.
func named(b *testing.B, c service.Choice) string {
	b.Helper()
	r, err := c.Recognizer(engine.Host{})
	require.NoError(b, err)
	return strings.TrimSpace(r.Info().Name + " " + r.Info().Model)
}

// heard is what became of a recording, and in which time.
type heard struct {
	text   string
	took   time.Duration
	silent time.Duration // the longest time without an event, while the service recognized
}

// alone gives a normalized recording to the bare recognizer, as a whole.
func alone(b *testing.B, c service.Choice, wav string) heard {
	b.Helper()
	r, err := c.Recognizer(enginetest.Host(b))
	require.NoError(b, err)
	began := time.Now()
	said, err := r.Recognize(b.Context(), engine.Audio{Path: wav, Duration: lengthOf(b, wav)}, engine.RecognizeOptions{Language: "en"})
	require.NoError(b, err)
	return heard{text: textOf(said.Segments), took: time.Since(began)}
}

func textOf(segments []transcript.Segment) string {
	var all []string
	for _, s := range segments {
		all = append(all, s.Text)
	}
	return strings.Join(all, " ")
}

func lengthOf(b *testing.B, wav string) time.Duration {
	b.Helper()
	rec, err := speech.Open(wav)
	require.NoError(b, err)
	require.NoError(b, rec.Close())
	return rec.Duration()
}

// whole is the service with a recognizer. It is a new one each time, as an answer of
// the cache would cost nothing.
func whole(b *testing.B, c service.Choice, media string) heard {
	b.Helper()
	s, err := startService(b.Context(), passing(b.TempDir(), c, slog.New(slog.DiscardHandler)), part{role: server.RoleAll})
	require.NoError(b, err)
	defer func() { require.NoError(b, s.stop()) }()
	key, err := demoKey(b.Context(), s.accounts)
	require.NoError(b, err)
	customer, err := client.New("http://"+s.addr(), client.WithAPIKey(key))
	require.NoError(b, err)
	began := time.Now()
	var now time.Duration
	_, job, err := customer.Transcripts.Submit(b.Context(), transcript.Request{Source: transcript.File(media), Language: []string{"en"}, Wait: &now})
	require.NoError(b, err)
	var by heard
	heardLast := time.Now()
	for event, err := range customer.Jobs.Events(b.Context(), job.JobID) {
		require.NoError(b, err)
		if job = &event.Job; job.Stage == transcript.StageASRRunning {
			by.silent = max(by.silent, time.Since(heardLast))
		}
		heardLast = time.Now()
	}
	require.NotNil(b, job.Result, "%s: %v", job.Status, job.Error)
	by.text, by.took = textOf(job.Result.Transcript.Segments), time.Since(began)
	return by
}

// mostSilence is the goal for the longest time without an event of a job whose recording is
// recognized.
const mostSilence = 5 * time.Second

// BenchmarkThreeMinutes compares the whole service with the recognizer alone on the
// same recording of more than three minutes, in turns, and the longest silence of the job's
// events with its goal.
func BenchmarkThreeMinutes(b *testing.B) {
	talk := speechtest.Repeat(b, speechtest.Decode(b, recording), 5)
	require.GreaterOrEqual(b, lengthOf(b, talk), 3*time.Minute)
	for _, c := range recognizers(b) {
		row := ratio.Row{Name: "3 minutes of speech, " + named(b, c), AtMost: 1.10}
		silence := ratio.Row{Name: row.Name + ", longest silence of progress, of 5 s", AtMost: 1}
		if !ratio.Wanted(row.Name) && !ratio.Wanted(silence.Name) {
			continue
		}
		var bare, full []time.Duration
		for range 2 { // minutes each
			by := whole(b, c, talk)
			bare, full = append(bare, alone(b, c, talk).took), append(full, by.took)
			silence.Ratios = append(silence.Ratios, by.silent.Seconds()/mostSilence.Seconds())
			row.Ratios = append(row.Ratios, full[len(full)-1].Seconds()/bare[len(bare)-1].Seconds())
		}
		row.Note = fmt.Sprintf("service %s, recognizer alone %s", roundly(slices.Min(full)), roundly(slices.Min(bare)))
		row.Report(b)
		silence.Report(b)
	}
}

// spoken is a recording whose words are known.
type spoken struct{ media, words string }

// recordings are those that this machine has, by where they are from.
func recordings(b *testing.B) map[string][]spoken {
	b.Helper()
	said, err := os.ReadFile("../testdata/talk.txt")
	require.NoError(b, err)
	all := map[string][]spoken{"flite": {{recording, string(said)}}}
	// Of the package pocketsphinx-testdata. What else it has are numbers, which some write
	// in digits.
	const librivox = "/usr/share/pocketsphinx/test/data/librivox"
	if lines, err := os.ReadFile(filepath.Join(librivox, "transcription")); err == nil {
		all["librivox"] = readTranscription(librivox, string(lines))
	}
	return all
}

// readTranscription reads lines of the form "<s> words </s> (name of the recording)".
func readTranscription(dir, lines string) (all []spoken) {
	for line := range strings.Lines(lines) {
		words, name, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "<s>"), "</s>")
		if found {
			all = append(all, spoken{filepath.Join(dir, strings.Trim(name, " ()")+".wav"), words})
		}
	}
	return all
}

// BenchmarkWordErrors prints how many words each recognizer that is here hears wrong
// through the service, how long that takes, and how long the recognizer alone.
func BenchmarkWordErrors(b *testing.B) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(os.Stdout)
	fmt.Fprintln(table, "wer: RECOGNIZER\tRECORDINGS\tWORDS\tERRORS\tSHARE\tSPEECH\tREAL TIME\tALONE\tOVERHEAD")
	all := recordings(b)
	for _, c := range recognizers(b) {
		for _, from := range slices.Sorted(maps.Keys(all)) {
			var errors, words int
			var length, full, bare time.Duration
			for _, said := range all[from] {
				wav := speechtest.Decode(b, said.media)
				by := whole(b, c, said.media)
				wrong, of := speechtest.WordErrors(said.words, by.text)
				errors, words = errors+wrong, words+of
				length, full, bare = length+lengthOf(b, wav), full+by.took, bare+alone(b, c, wav).took
			}
			share := float64(errors) / float64(words)
			fmt.Fprintf(table, "wer: %s\t%s\t%d\t%d\t%.1f %%\t%s\t%.2f\t%.2f\t%+.0f %%\n", named(b, c), from, words, errors, 100*share,
				roundly(length), full.Seconds()/length.Seconds(), bare.Seconds()/length.Seconds(), 100*(full.Seconds()/bare.Seconds()-1))
			if recommended := "whisper-cli small"; *mostErrors > 0 && named(b, c) == recommended && share > *mostErrors {
				b.Errorf("%s hears %d of %d words of %s wrong", named(b, c), errors, words, from)
			}
		}
	}
	require.NoError(b, table.Flush())
}
