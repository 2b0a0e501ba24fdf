package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const diarize = "gpt-4o-transcribe-diarize"

// diarized is the hosted model's answer; the text of a segment begins with a blank.
const diarized = `{"task":"transcribe","duration":10.0,"text":"Thanks for calling. Hi, I'm trying to\nenable it.",
"segments":[
{"type":"transcript.text.segment","id":"seg_0","start":0.262,"end":2.7120000000000006,"text":" Thanks for calling.","speaker":"voice_1"},
{"type":"transcript.text.segment","id":"seg_1","start":2.762,"end":5.8,"text":" Hi, I'm trying to","speaker":"A"},
{"type":"transcript.text.segment","id":"seg_2","start":5.85,"end":6.9,"text":" enable it.","speaker":"A"}],
"usage":{"type":"tokens","total_tokens":59,"input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45}}`

// voices are so many clips of 2 seconds, each of another person.
func voices(t *testing.T, n int) []engine.Voice {
	t.Helper()
	var all []engine.Voice
	for i := range n {
		path := filepath.Join(t.TempDir(), "voice.wav")
		require.NoError(t, speechtest.WriteFile(path, speechtest.Talk(speechtest.Turn{Person: i + 1, For: 2 * time.Second})))
		all = append(all, engine.Voice{Name: speech.VoiceName(i), Audio: engine.Audio{Path: path, Duration: 2 * time.Second}})
	}
	return all
}

// clips are what the references of a request hold.
func clips(t *testing.T, r request) [][]byte {
	t.Helper()
	var all [][]byte
	for _, url := range r.Form["known_speaker_references[]"] {
		data, ok := strings.CutPrefix(url, "data:audio/wav;base64,")
		require.True(t, ok, "%.40s", url)
		wav, err := base64.StdEncoding.DecodeString(data)
		require.NoError(t, err)
		all = append(all, wav)
	}
	return all
}

func TestAsksWhoSpeaks(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", diarized)
	known := voices(t, 2)
	heard, err := recognizer(t, e, model(diarize)).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{
		Language: "en-GB", Prompt: "Kubernetes", Voices: known,
	})
	require.NoError(t, err)
	last := 6.9
	assert.Equal(t, engine.Recognition{Language: "en-GB", KnowsVoices: true, Segments: []transcript.Segment{
		{Text: "Thanks for calling.", Speaker: "voice_1", Start: 0.262, Duration: 2.7120000000000006 - 0.262},
		{Text: "Hi, I'm trying to", Speaker: "A", Start: 2.762, Duration: 5.8 - 2.762},
		{Text: "enable it.", Speaker: "A", Start: 5.85, Duration: last - 5.85},
	}}, heard)

	require.Len(t, e.seen(), 1)
	asked := e.seen()[0]
	for i, wav := range clips(t, asked) {
		clip, err := os.ReadFile(known[i].Audio.Path)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(clip, wav), "voice %d", i)
	}
	assert.Len(t, clips(t, asked), 2)
	delete(asked.Form, "known_speaker_references[]")
	assert.Equal(t, map[string][]string{
		"model": {diarize}, "response_format": {"diarized_json"}, "chunking_strategy": {"auto"}, "language": {"en"},
		"known_speaker_names[]": {"voice_1", "voice_2"},
	}, asked.Form)
}

// Any model can be asked, and one that is not asked is sent no voices.
func TestSpeakersAreAnOption(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", diarized)
	other := recognizer(t, e, model("whisperx"), func(o *openai.Options) { o.Speakers = true })
	heard, err := other.Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{Prompt: "Kubernetes"})
	require.NoError(t, err)
	assert.True(t, heard.KnowsVoices)
	assert.True(t, heard.Prompted)
	assert.Equal(t, "A", heard.Segments[1].Speaker)
	assert.Equal(t, map[string][]string{
		"model": {"whisperx"}, "response_format": {"diarized_json"}, "chunking_strategy": {"auto"}, "prompt": {"Kubernetes"},
	}, e.seen()[0].Form)

	heard, err = recognizer(t, e).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{Voices: voices(t, 1)})
	require.NoError(t, err)
	assert.False(t, heard.KnowsVoices)
	assert.Equal(t, "verbose_json", e.seen()[1].Form["response_format"][0])
	assert.NotContains(t, e.seen()[1].Form, "known_speaker_names[]")
}

func TestLabelsOfSpeakers(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`,"speaker":"B"`: "B", ``: "", `,"speaker":null`: "", `,"speaker":""`: "", `,"speaker":1`: "1", `,"speaker":{"name":"B"}`: "",
		`,"speaker":["B"]`: "", `,"speaker":true`: "", `,"speaker":"` + strings.Repeat("x", 99999) + `"`: strings.Repeat("x", 99999),
		`,"speaker":"B\u0000\r\n\u202e"`: "B\x00\r\n\u202e", // recordings are cleaned by the house
	} {
		e := says(t, 200, "application/json", `{"text":"a","segments":[{"start":1,"end":2,"text":"a"`+said+`}]}`)
		heard, err := recognizer(t, e, model(diarize)).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{})
		require.NoError(t, err)
		require.Len(t, heard.Segments, 1)
		assert.Equal(t, want, heard.Segments[0].Speaker, "%.40s", said)
	}
}

// People talk at once, and are told in any order.
func TestSpeakersAtOnce(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", `{"text":"","segments":[{"start":5,"end":5,"text":"and","speaker":"B"},{"start":5,"end":7,"text":"c","speaker":"A"},{"start":1,"end":6,"text":"a","speaker":"A"},
		{"start":2,"end":3,"text":"b","speaker":"B"},{"start":2,"end":2,"text":"d","speaker":"C"}]}`)
	heard, err := recognizer(t, e, model(diarize)).Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	said := ""
	for _, s := range heard.Segments {
		said += s.Speaker + ":" + s.Text + " "
	}
	assert.Equal(t, "A:a B:b C:d :and c ", said, "what two people say at once is nobody's")
}

func TestRefusesVoices(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"hosted":     `{"error":{"message":"Known speaker references has duration {duration_s} seconds, but must be between 1.2 and 10.0 seconds","type":"invalid_request_error","param":"known_speaker_references","code":"invalid_value"}}`,
		"validation": `{"detail":[{"type":"extra_forbidden","loc":["body","known_speaker_names[]"],"msg":"Extra inputs are not permitted"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, func(w http.ResponseWriter, _ int, r request) {
				if r.Form["known_speaker_names[]"] != nil {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, body) // the client reads it all
					return
				}
				_, _ = io.WriteString(w, diarized) // the client reads it all
			})
			r := recognizer(t, e, model(diarize))
			for range 2 { // the next ones may do
				heard, err := r.Recognize(t.Context(), tone(t, 10*time.Second), engine.RecognizeOptions{Voices: voices(t, 1)})
				require.NoError(t, err)
				assert.False(t, heard.KnowsVoices)
				assert.Len(t, heard.Segments, 3)
			}
			require.Len(t, e.seen(), 4)
			for i, r := range e.seen() {
				assert.Equal(t, "diarized_json", r.Form["response_format"][0])
				assert.Equal(t, i%2 == 0, r.Form["known_speaker_names[]"] != nil)
				assert.Equal(t, e.seen()[0].File, r.File)
			}
		})
	}
}

// What an endpoint tells without speakers is taken, and it is not asked for them again.
func TestRefusesSpeakers(t *testing.T) {
	t.Parallel()
	const (
		unknown = `{"detail":[{"type":"literal_error","loc":["body","response_format"],"msg":"Input should be 'text', 'json', 'verbose_json', 'srt' or 'vtt'","input":"diarized_json"}]}`
		verbose = `{"error":{"message":"response_format 'verbose_json' is not compatible with model 'x'. Use 'json' or 'text' instead.","param":"response_format"}}`
	)
	tests := []struct {
		refuses map[string]string
		asked   string
	}{
		{map[string]string{"diarized_json": unknown}, "diarized_json verbose_json verbose_json"},
		{map[string]string{"diarized_json": unknown, "verbose_json": verbose}, "diarized_json verbose_json json json"},
		{map[string]string{"diarized_json": `{"error":"chunking_strategy is not supported"}`}, "diarized_json verbose_json verbose_json"},
	}
	for _, tt := range tests {
		e := serve(t, func(w http.ResponseWriter, _ int, r request) {
			if body := tt.refuses[r.Form["response_format"][0]]; body != "" {
				w.WriteHeader(http.StatusUnprocessableEntity)
				_, _ = io.WriteString(w, body) // the client reads it all
				return
			}
			_, _ = io.WriteString(w, `{"text":"hello"}`) // the client reads it all
		})
		r := recognizer(t, e, model("x"), func(o *openai.Options) { o.Speakers = true })
		for range 2 {
			heard, err := r.Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Voices: voices(t, 1)})
			require.NoError(t, err)
			assert.False(t, heard.KnowsVoices)
			assert.Equal(t, []transcript.Segment{{Text: "hello", Duration: 1}}, heard.Segments)
		}
		var asked []string
		for _, r := range e.seen() {
			asked = append(asked, r.Form["response_format"][0])
		}
		assert.Equal(t, tt.asked, strings.Join(asked, " "))
		heard, err := r.Recognize(t.Context(), tone(t, 10*time.Millisecond), engine.RecognizeOptions{})
		require.NoError(t, err)
		assert.False(t, heard.KnowsVoices, "of what is too short to be sent")
	}
}

// As many voices go along as the endpoint takes, and as fit.
func TestVoicesThatFit(t *testing.T) {
	t.Parallel()
	e := says(t, 200, "application/json", diarized)
	for limit, want := range map[int64]int{0: 4, 500 << 10: 2, 330 << 10: 0} {
		r := recognizer(t, e, model(diarize), func(o *openai.Options) { o.MaxBytes = limit })
		_, err := r.Recognize(t.Context(), tone(t, 8*time.Second), engine.RecognizeOptions{Voices: voices(t, 5)})
		require.NoError(t, err)
		last := e.seen()[len(e.seen())-1]
		assert.Len(t, last.Form["known_speaker_names[]"], want, "limit %d", limit)
		assert.Len(t, clips(t, last), want)
		if limit > 0 {
			assert.LessOrEqual(t, last.Length, limit)
		}
	}
	gone := []engine.Voice{{Name: "voice_1", Audio: engine.Audio{Path: filepath.Join(t.TempDir(), "gone.wav")}}}
	_, err := recognizer(t, e, model(diarize)).Recognize(t.Context(), tone(t, time.Second), engine.RecognizeOptions{Voices: gone})
	require.ErrorIs(t, err, transcript.Internal)
}

func TestInfoOfSpeakers(t *testing.T) {
	t.Parallel()
	for limit, chunk := range map[int64]time.Duration{0: 763 * time.Second, 1 << 40: 20 * time.Minute, 64<<10 + 32000: time.Second} {
		r, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:1/v1", Model: diarize, MaxBytes: limit})
		require.NoError(t, err)
		info := r.Info()
		assert.Equal(t, chunk, info.MaxChunk)
		assert.Equal(t, recognition.Lengths{Longest: chunk, Window: chunk}, recognition.LengthsFor(info), "silences stay in, where that spares a part")
		assert.True(t, info.Speakers)
		assert.Equal(t, 4, info.Voices)
		assert.False(t, info.Prompts)
	}
}

// The suite's sample is a person humming, whom the endpoint knows again.
func TestRecognizerOfSpeakers(t *testing.T) { //nolint:paralleltest // the suite runs its checks one by one
	path := filepath.Join(t.TempDir(), "hum.wav")
	require.NoError(t, speechtest.WriteFile(path, speechtest.Talk(speechtest.Turn{Person: 2, For: 3 * time.Second})))
	e := serve(t, func(w http.ResponseWriter, _ int, r request) {
		segments := []any{}
		if len(r.File) > 44 {
			var known []speechtest.Voice
			for i, wav := range clips(t, r) {
				known = append(known, speechtest.Voice{Name: r.Form["known_speaker_names[]"][i], PCM: wav[44:]})
			}
			for _, s := range speechtest.Diarize(r.File[44:], known...) {
				segments = append(segments, map[string]any{"text": " " + s.Text, "start": s.Start, "end": s.End(), "speaker": s.Speaker, "id": "seg_0"})
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"text": "", "segments": segments}) // the client may be gone
	})
	enginetest.Recognizer(t, recognizer(t, e, model(diarize)), enginetest.Sample{Path: path, Text: "person 2 at 0.00"})
}
