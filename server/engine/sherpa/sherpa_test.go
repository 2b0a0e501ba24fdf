package sherpa_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/sherpa"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// banner is what the program of version 2.0.1 writes before the turns, shortened.
const banner = `OfflineSpeakerDiarizationConfig(clustering=FastClusteringConfig(num_clusters=-1, threshold=0.7), min_duration_on=0.3, min_duration_off=0.5)
Started
`

// fake makes a diarizer with a program that runs the script, and returns the folder of the program and
// of its models.
func fake(t *testing.T, script string, change func(*sherpa.Options)) (*sherpa.Diarizer, string) {
	t.Helper()
	dir := t.TempDir()
	o := sherpa.Options{
		Program:      filepath.Join(dir, "diarization"),
		Segmentation: filepath.Join(dir, "segmentation-3.0.onnx"), Embedding: filepath.Join(dir, "voices.onnx"),
	}
	for _, file := range []string{o.Segmentation, o.Embedding} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	require.NoError(t, os.WriteFile(o.Program, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is run
	if change != nil {
		change(&o)
	}
	d, err := sherpa.New(enginetest.Host(t), o)
	require.NoError(t, err)
	return d, dir
}

// printing is a script that prints what the program prints.
func printing(turns string) string {
	return "cat <<'END'\n" + banner + turns + "END\necho 'Duration : 20.000 s' >&2\n"
}

func recording(t *testing.T, seconds int) engine.Audio {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.wav")
	require.NoError(t, speechtest.WriteFile(path, make([]byte, 2*seconds*speech.SampleRate)))
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: path, Duration: rec.Duration()}
}

func turn(start, end float64, speaker int) engine.Turn {
	return engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: speaker}
}

func TestTurnsAreRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		printed string
		want    []engine.Turn
	}{
		"nobody":             {"", nil},
		"two":                {"1.583 -- 3.406 speaker_03\n4.402 -- 6.443 speaker_00\n9.346 -- 11.472 speaker_03\n", []engine.Turn{turn(1.583, 3.406, 1), turn(4.402, 6.443, 2), turn(9.346, 11.472, 1)}},
		"both at once":       {"1.0 -- 5.0 speaker_00\n4.0 -- 6.0 speaker_01\n", []engine.Turn{turn(1, 5, 1), turn(4, 6, 2)}},
		"overlaps itself":    {"1.0 -- 5.0 speaker_00\n2.0 -- 3.0 speaker_01\n4.0 -- 6.0 speaker_00\n", []engine.Turn{turn(1, 6, 1), turn(2, 3, 2)}},
		"not sorted":         {"4.0 -- 6.0 speaker_01\n1.0 -- 3.0 speaker_00\n", []engine.Turn{turn(1, 3, 1), turn(4, 6, 2)}},
		"after the end":      {"19.0 -- 23.0 speaker_00\n21.0 -- 22.0 speaker_01\n", []engine.Turn{turn(19, 20, 1)}},
		"with a confidence":  {"1.583 -- 3.406 speaker_00 (0.91)\n", []engine.Turn{turn(1.583, 3.406, 1)}},
		"twelve hours, long": {"43199.001 -- 43200.002 speaker_11\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := fake(t, printing(tt.printed), nil)
			turns, err := d.Diarize(t.Context(), recording(t, 20), engine.DiarizeOptions{})
			require.NoError(t, err)
			assert.Equal(t, tt.want, turns)
		})
	}
}

// The program of version 2.0.1 has these options, by its --help.
func TestArguments(t *testing.T) {
	t.Parallel()
	for speakers, want := range map[int]string{0: "--clustering.cluster-threshold=0.7", 4: "--clustering.num-clusters=4"} {
		audio := recording(t, 2)
		d, dir := fake(t, `echo "$*" >&2; exit 3`, nil)
		_, err := d.Diarize(t.Context(), audio, engine.DiarizeOptions{Speakers: speakers})
		require.ErrorIs(t, err, transcript.Internal)
		all := strings.Join([]string{
			"--segmentation.pyannote-model=" + dir + "/segmentation-3.0.onnx", "--embedding.model=" + dir + "/voices.onnx",
			"--segmentation.num-threads=1", "--embedding.num-threads=1", "--print-args=false", want, audio.Path,
		}, " ")
		assert.Contains(t, chain(err), all[:150], "a reason is cut")
		d, _ = fake(t, `test "$6 $7 $#" = "`+want+" "+audio.Path+` 7" || exit 1`+"\n"+printing(""), nil)
		_, err = d.Diarize(t.Context(), audio, engine.DiarizeOptions{Speakers: speakers})
		require.NoError(t, err)
	}
}

func chain(err error) string {
	var said strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		said.WriteString(err.Error() + "\n")
	}
	return said.String()
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		change func(*sherpa.Options)
		code   transcript.Code
		says   string
	}{
		"no program":      {"", func(o *sherpa.Options) { o.Program = "/nowhere/diarization" }, transcript.ConfigError, "install sherpa-onnx"},
		"no segmentation": {"", func(o *sherpa.Options) { o.Segmentation = "/nowhere/segmentation.onnx" }, transcript.ConfigError, "The model segmentation.onnx"},
		"no embedding":    {"", func(o *sherpa.Options) { o.Embedding = "/nowhere/voices.onnx" }, transcript.ConfigError, "The model voices.onnx"},
		"errors":          {"echo 'Errors in config!' >&2; exit 255", nil, transcript.Internal, "exit code 255: Errors in config!"},
		"says nothing":    {"exit 0", nil, transcript.Internal, "does not say that it started"},
		"says other":      {printing("1.5 to 3.0 speaker 1\n"), nil, transcript.Internal, "no turn: 1.5 to 3.0 speaker 1"},
		"cut line":        {printing("1.583 -- 3.4"), nil, transcript.Internal, "no turn"},
		"talks forever":   {"exec yes '1.583 -- 3.406 speaker_00'", nil, transcript.Internal, "bytes of output"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := fake(t, tt.script, tt.change)
			_, err := d.Diarize(t.Context(), recording(t, 20), engine.DiarizeOptions{})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code)
			assert.Equal(t, "sherpa-onnx", e.Details["engine"])
			assert.Contains(t, chain(err), tt.says)
			if tt.code == transcript.ConfigError {
				assert.ErrorIs(t, d.Check(t.Context()), transcript.ConfigError)
			} else {
				assert.NoError(t, d.Check(t.Context()))
			}
		})
	}
}

// The checks that need no model.
func TestConformance(t *testing.T) {
	t.Parallel()
	d, _ := fake(t, printing(""), nil)
	dialogue := enginetest.Dialogue{Path: recording(t, 3).Path}
	for _, c := range enginetest.DiarizerChecks() {
		switch c.Name {
		case "tells the speakers", "keeps the number of speakers": // the fake is deaf
		default:
			t.Run(c.Name, func(t *testing.T) { t.Parallel(); c.Run(t, d, []enginetest.Dialogue{dialogue}) })
		}
	}
	assert.Equal(t, engine.DiarizerInfo{Name: "sherpa-onnx", Model: "segmentation-3.0 and voices"}, d.Info())
	_, err := d.Diarize(t.Context(), recording(t, 1), engine.DiarizeOptions{Speakers: transcript.MaxSpeakers + 1})
	assert.ErrorIs(t, err, transcript.InvalidRequest)
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	right := sherpa.Options{Segmentation: "/s.onnx", Embedding: "/e.onnx"}
	for field, change := range map[string]func(*sherpa.Options){
		"Segmentation": func(o *sherpa.Options) { o.Segmentation = "s.onnx" },
		"Embedding":    func(o *sherpa.Options) { o.Embedding = "" },
		"Libraries":    func(o *sherpa.Options) { o.Libraries = "lib" },
		"Threshold":    func(o *sherpa.Options) { o.Threshold = 2 },
	} {
		o := right
		change(&o)
		_, err := sherpa.New(engine.Host{}, o)
		assert.ErrorContains(t, err, field)
	}
	_, err := sherpa.New(engine.Host{}, right)
	assert.NoError(t, err)
}
