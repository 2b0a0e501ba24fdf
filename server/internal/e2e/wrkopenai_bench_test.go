package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BenchmarkWrkOpenAI compares what a cached text costs the service in POST
// /v1/audio/transcriptions and in POST /v1/transcript: the processor time of a request. Both
// requests upload the same small recording. The recording has the text of an hour, of which
// POST /v1/transcript makes 178 KB of JSON.
func BenchmarkWrkOpenAI(b *testing.B) {
	const name = "CPU of a cached POST of OpenAI's API, of a cached POST's"
	needsWrk(b)
	if !ratio.Wanted(name) {
		return
	}
	s := startFilled(b, storetest.SQLite(b), 0)
	s.Engine.SetMedia(servertest.Media{Duration: time.Hour})
	s.Engine.SetRecognize(talkOfAnHour)
	post := upload(b, "/v1/transcript")
	for b.Loop() {
		for _, format := range []string{"json", "verbose_json", "srt"} {
			face := upload(b, "/v1/audio/transcriptions", "model", "whisper-1", "response_format", format)
			size := answered(b, s, face) // the first answer waits for the recognizer
			for _, coding := range []string{"identity", "gzip"} {
				row := ratio.Row{Name: fmt.Sprintf("%s, %s, %s", name, format, coding), AtMost: 1.5}
				var ours, theirs []float64
				for range wrkRounds {
					p, f := aimed(b, s, post, coding), aimed(b, s, face, coding)
					ours, theirs = append(ours, f.cpu), append(theirs, p.cpu)
					row.Ratios = append(row.Ratios, f.cpu/p.cpu)
				}
				row.Note = fmt.Sprintf("%.0f us of %.0f us; %d KB of %d", median(ours)/1e3, median(theirs)/1e3, size/1000, answered(b, s, post)/1000)
				row.Report(b)
			}
		}
	}
}

// upload is a request with a form of a small recording and further fields.
func upload(b *testing.B, path string, fields ...string) request {
	b.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(b, w.WriteField(fields[i], fields[i+1]))
	}
	file, err := w.CreateFormFile("file", "talk.wav")
	require.NoError(b, err)
	_, err = io.WriteString(file, strings.Repeat("a talk of an hour ", 50))
	require.NoError(b, err)
	require.NoError(b, w.Close())
	return request{
		method: http.MethodPost, path: path, header: http.Header{"Content-Type": {w.FormDataContentType()}}, bodies: []string{body.String()},
	}
}

// answered sends a request once, and returns the size of the answer in bytes, which has the text.
func answered(b *testing.B, s *filled, r request) int {
	b.Helper()
	status, _, whole := r.with("Authorization", "Bearer "+s.Key).send(b, s.url, r.bodies[0])
	require.Equal(b, http.StatusOK, status, "%s", whole)
	require.Contains(b, string(whole), "segment number 3 ")
	return len(whole)
}

// talkOfAnHour recognizes segments of 2.4 s.
func talkOfAnHour(_ context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	said := engine.Recognition{Language: "en"}
	for i := range int(a.Duration.Seconds() / 2.4) {
		said.Segments = append(said.Segments, spokenSegment(i))
	}
	return said, nil
}

// spokenSegment is a segment of a text of an hour, which has 1500 segments.
func spokenSegment(i int) transcript.Segment {
	return transcript.Segment{
		Text:  fmt.Sprintf("segment number %d says “some” words & no <tags> of the talk about %x", i, i*7919),
		Start: float64(i) * 2.4, Duration: 2.4,
	}
}
