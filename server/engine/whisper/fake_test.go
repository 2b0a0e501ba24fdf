package whisper_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

type object = map[string]any

// said is a segment as whisper gives it, in milliseconds.
type said struct {
	text     string
	from, to int
}

// pieces are the tokens of the segment with equal times: each word is one, and its
// last letters another one if it is long.
func (s said) pieces() []string {
	var out []string
	for word := range strings.FieldsSeq(s.text) {
		if n := len(word); n > 4 {
			out = append(out, " "+word[:n-2], word[n-2:])
		} else {
			out = append(out, " "+word)
		}
	}
	return out
}

// each calls do with each piece and its time.
func (s said) each(do func(text string, from, to int)) {
	pieces := s.pieces()
	for i, text := range pieces {
		long := s.to - s.from
		do(text, s.from+long*i/len(pieces), s.from+long*(i+1)/len(pieces))
	}
}

func offsets(from, to int) object { return object{"from": from, "to": to} }

// cliOutput is what whisper-cli writes with -ojf.
func cliOutput(t testing.TB, language string, segments ...said) string {
	t.Helper()
	list := []object{}
	for _, s := range segments {
		tokens := []object{{"text": "[_BEG_]", "offsets": offsets(s.from, s.from), "id": 50363, "p": 0.9, "t_dtw": -1}}
		s.each(func(text string, from, to int) {
			tokens = append(tokens, object{"text": text, "offsets": offsets(from, to), "id": 1, "p": 0.5, "t_dtw": -1})
		})
		tokens = append(tokens, object{"text": "[_TT_481]", "offsets": offsets(s.to, s.to), "id": 50844, "p": 0.001, "t_dtw": -1})
		list = append(list, object{
			"timestamps": object{"from": "00:00:00,000", "to": "00:00:00,000"},
			"offsets":    offsets(s.from, s.to), "text": " " + s.text, "tokens": tokens,
		})
	}
	return toJSON(t, object{
		"systeminfo": "AVX = 1", "model": object{"type": "tiny", "multilingual": false},
		"params":        object{"model": "m", "language": "auto", "translate": false},
		"result":        object{"language": language},
		"transcription": list,
	})
}

// serverAnswer is what whisper-server answers in verbose_json.
func serverAnswer(t testing.TB, language string, segments ...said) string {
	t.Helper()
	list, text := []object{}, ""
	for i, s := range segments {
		words := []object{}
		s.each(func(text string, from, to int) {
			words = append(words, object{"word": text, "start": float64(from) / 1000, "end": float64(to) / 1000, "t_dtw": -1, "probability": 0.5})
		})
		text += " " + s.text + "\n"
		list = append(list, object{
			"id": i, "text": " " + s.text, "start": float64(s.from) / 1000, "end": float64(s.to) / 1000,
			"tokens": []int{48903}, "words": words, "temperature": 0.0, "avg_logprob": -4.3, "no_speech_prob": 1.4e-05,
		})
	}
	return toJSON(t, object{"task": "transcribe", "language": language, "duration": 11.0, "text": text, "segments": list})
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// Vocabularies of the models.
const (
	onlyEnglish  = 51864
	multilingual = 51865
)

// writeModel writes the head of a model of the size "base", and returns its path.
func writeModel(t testing.TB, name string, vocabulary int32) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, []int32{0x67676d6c, vocabulary, 1500, 512, 8, 6, 448, 512, 8, 6, 80, 1}))
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// bench is a recognizer with a program in place of whisper-cli.
type bench struct {
	*whisper.CLI
	dir  string // of the program
	host engine.Host
}

// newBench returns a recognizer whose program hears what heard says. script, of
// the shell, may do something else.
func newBench(t testing.TB, vocabulary int32, heard, script string) bench {
	t.Helper()
	dir := t.TempDir()
	// Linked, not written: a file that was just open for writing may not be run
	// while another test starts a program.
	program, err := filepath.Abs("testdata/whisper-cli")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(dir, "whisper-cli")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "heard.json"), []byte(heard), 0o600))
	if script != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600))
	}
	// What stands in for the program keeps its files beside itself.
	spool := t.TempDir()
	programs, err := run.New(run.Config{Dir: spool, WithoutLandlock: true})
	require.NoError(t, err)
	b := bench{dir: dir, host: engine.Host{Programs: programs, Dir: spool}}
	b.CLI, err = whisper.NewCLI(b.host, whisper.CLIOptions{
		Program: filepath.Join(dir, "whisper-cli"),
		Model:   writeModel(t, "ggml-base.bin", vocabulary),
	})
	require.NoError(t, err)
	return b
}

// args are the arguments of the last run.
func (b bench) args(t testing.TB) []string {
	t.Helper()
	args, err := os.ReadFile(filepath.Join(b.dir, "args"))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(args)), "\n")
}

// noise writes a recording that is not silent.
func noise(t testing.TB, length time.Duration) engine.Audio {
	t.Helper()
	path := filepath.Join(t.TempDir(), "noise.wav")
	samples := int(length.Seconds() * 16000)
	require.NoError(t, speechtest.WriteFile(path, bytes.Repeat([]byte{1, 2}, samples)))
	return engine.Audio{Path: path, Duration: length}
}

// view is a segment in short: "hello world 0.200-1.500 [hello 0.200-0.500 world 0.500-1.500]".
func view(heard engine.Recognition) []string {
	var out []string
	for _, s := range heard.Segments {
		line := fmt.Sprintf("%s %.3f-%.3f", s.Text, s.Start, s.End())
		var words []string
		for _, w := range s.Words {
			words = append(words, fmt.Sprintf("%s %.3f-%.3f", w.Text, w.Start, w.End))
		}
		if words != nil {
			line += " [" + strings.Join(words, ", ") + "]"
		}
		out = append(out, line)
	}
	return out
}
