package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// diarizing is an endpoint that tells the speakers of a talk, as the hosted one does. It
// judges the voices that it is sent.
type diarizing struct {
	t *testing.T

	mu      sync.Mutex
	talk    []byte // that is being recognized
	refuses string // a field, or a value of one
	voices  []int  // how many came with each request that it took
}

func (d *diarizing) next(talk []byte, refuses string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.talk, d.refuses, d.voices = talk, refuses, nil
}

func (d *diarizing) took() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.voices
}

func (d *diarizing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	file, _, err := r.FormFile("file")
	if err != nil { // the list of models
		_, _ = io.WriteString(w, `{"data":[]}`) // the client may be gone
		return
	}
	wav, err := io.ReadAll(file)
	if !assert.NoError(d.t, err) {
		return
	}
	form := r.MultipartForm.Value
	names, clips := form["known_speaker_names[]"], form["known_speaker_references[]"]
	if d.refuses == "known_speaker_names" && names != nil || d.refuses == form["response_format"][0] {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"Not supported.","param":"`+map[bool]string{true: "known_speaker_names", false: "response_format"}[names != nil]+`"}}`)
		return
	}
	d.voices = append(d.voices, len(names))
	segments := []any{}
	for _, s := range speechtest.Diarize(wav[44:], d.judge(names, clips)...) {
		if form["response_format"][0] != "diarized_json" {
			s.Speaker = ""
		}
		segments = append(segments, map[string]any{"type": "transcript.text.segment", "id": "seg", "start": s.Start, "end": s.End(), "text": " " + s.Text, "speaker": s.Speaker})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"text": "", "segments": segments}) // the client may be gone
}

// judge wants each clip to be a WAV of 2 to 10 seconds, cut from the talk.
func (d *diarizing) judge(names, clips []string) (voices []speechtest.Voice) {
	for i, clip := range clips {
		data, ok := strings.CutPrefix(clip, "data:audio/wav;base64,")
		wav, err := base64.StdEncoding.DecodeString(data)
		if !assert.True(d.t, ok && err == nil && len(wav) > 44, "%.60s", clip) {
			return nil
		}
		pcm := wav[44:]
		length := time.Duration(len(pcm)/32) * time.Millisecond
		assert.True(d.t, 2*time.Second <= length && length <= 10*time.Second, "a voice of %v", length)
		assert.True(d.t, bytes.Contains(d.talk, pcm), "a voice that is not of the recording")
		voices = append(voices, speechtest.Voice{Name: names[i], PCM: pcm})
	}
	return voices
}

// talk is a conversation of three parts; kind makes it unlike others.
func talk(kind time.Duration) []byte {
	say := func(person int) speechtest.Turn { return speechtest.Turn{Person: person, For: 2800 * time.Millisecond} }
	pause := speechtest.Turn{For: 500*time.Millisecond + kind*10*time.Millisecond}
	return speechtest.Talk(say(1), say(2), say(1), pause, say(2), say(1), say(2), pause, say(3), say(2), say(1), pause)
}

// Who speaks is told over three requests for parts of a recording, whatever the endpoint
// takes, and stands in the files that are made of it.
func TestSpeakersFromUploadToSubtitles(t *testing.T) {
	t.Parallel()
	endpoint := &diarizing{t: t}
	hosted := httptest.NewServer(endpoint)
	t.Cleanup(hosted.Close)
	s := startService(t, func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			// Nine seconds go into a request.
			r, err := openai.New(openai.Options{BaseURL: hosted.URL + "/v1", Model: "gpt-4o-transcribe-diarize", MaxBytes: 690_000})
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: r}, err
		}
	})
	spoken := func(segments []transcript.Segment) (all []string) {
		for _, s := range segments {
			all = append(all, s.Speaker)
		}
		return all
	}
	for i, tt := range []struct {
		refuses  string
		voices   []int
		speakers []string
		named    string // in the file
	}{
		{"", []int{0, 2, 2}, []string{"A", "B", "A", "B", "A", "B", "C", "B", "A"}, "A B A B A B C B A"},
		{
			"known_speaker_names", []int{0, 0, 0},
			[]string{"A (part 1)", "B (part 1)", "A (part 1)", "A (part 2)", "B (part 2)", "A (part 2)", "A (part 3)", "B (part 3)", "C (part 3)"},
			"A (part 1) B (part 1) A (part 1) A (part 2) B (part 2) A (part 2) A (part 3) B (part 3) C (part 3)",
		},
		{"diarized_json", []int{0, 0, 0}, []string{"", "", "", "", "", "", "", "", ""}, ""}, // and never asked again
	} {
		pcm := talk(time.Duration(i))
		endpoint.next(pcm, tt.refuses)
		path := filepath.Join(t.TempDir(), "talk.wav")
		require.NoError(t, speechtest.WriteFile(path, pcm))
		result, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(path)})
		require.NoError(t, err, tt.refuses)
		assert.Equal(t, tt.speakers, spoken(result.Transcript.Segments), tt.refuses)
		assert.Equal(t, tt.voices, endpoint.took(), tt.refuses)

		for _, format := range []library.DownloadFormat{library.SRT, library.TXT} {
			file, err := s.Library.Download(t.Context(), library.Key{Platform: result.Transcript.Platform, ExternalID: result.Transcript.ExternalID},
				client.DownloadParams{Format: format, Speakers: true})
			require.NoError(t, err)
			text, err := io.ReadAll(file)
			require.NoError(t, err)
			require.NoError(t, file.Close())
			var named []string
			for _, m := range regexp.MustCompile(`(?m)^(?:\[.*?\] )?([A-Z].*?): person`).FindAllStringSubmatch(string(text), -1) {
				named = append(named, m[1])
			}
			assert.Equal(t, tt.named, strings.Join(named, " "), "%s as %s:\n%s", tt.refuses, format, text)
		}
	}
}
