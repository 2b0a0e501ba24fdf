package e2e_test

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// counted is a recognizer that counts its calls, and takes the time of each.
type counted struct {
	calls atomic.Int32
	speed float64 // times as fast as the sound; 0: at once
}

func (*counted) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "counted", Languages: []string{"en"}}
}

func (c *counted) Recognize(ctx context.Context, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	c.calls.Add(1)
	if c.speed > 0 {
		select {
		case <-time.After(time.Duration(float64(a.Duration) / c.speed)):
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
	}
	return engine.Recognition{Language: "en", Segments: []transcript.Segment{{Text: "hello", Duration: a.Duration.Seconds()}}}, nil
}

// sent is a file on its way to a service.
type sent struct {
	io.Writer
	form *multipart.Writer
	body *io.PipeWriter
	job  chan string
}

// send begins to send a file. The rest of it goes through Write and whole.
func (s *service) send(t *testing.T, name string) *sent {
	t.Helper()
	read, write := io.Pipe()
	f := &sent{form: multipart.NewWriter(write), body: write, job: make(chan string, 1)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/transcript", read)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", f.form.FormDataContentType())
	go func() {
		defer close(f.job)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return // the client has gone away
		}
		defer res.Body.Close()
		if assert.Equal(t, http.StatusAccepted, res.StatusCode) {
			f.job <- res.Header.Get("Location")[len("/v1/transcript/job/"):]
		}
	}()
	require.NoError(t, f.form.WriteField("waitMs", "0"))
	f.Writer, err = f.form.CreateFormFile("file", name)
	require.NoError(t, err)
	return f
}

// whole ends the file, and returns its job.
func (f *sent) whole(t *testing.T) string {
	t.Helper()
	require.NoError(t, f.form.Close())
	require.NoError(t, f.body.Close())
	return <-f.job
}

func recognizedBy(r engine.Recognizer) func(*server.Config) {
	return func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: r}, nil
		}
	}
}

// speaking is a sound with a pause of a second every ten seconds.
const speaking = "-f lavfi -i aevalsrc='0.3*sin(2764*t)*gt(mod(t,10),1)':s=16000:d="

// TestRecognitionBeginsWhileAFileArrives: an MP3 is recognized before its second half is sent.
// Of one whose client goes away, nothing stays.
func TestRecognitionBeginsWhileAFileArrives(t *testing.T) {
	t.Parallel()
	recognizer := new(counted)
	s := startService(t, recognizedBy(recognizer))
	file, err := os.ReadFile(record(t, "talk.mp3", speaking+"240"))
	require.NoError(t, err)
	begin := func() *sent {
		before := recognizer.calls.Load()
		f := s.send(t, "talk.mp3")
		_, err := f.Write(file[:len(file)/2])
		require.NoError(t, err)
		require.Eventually(t, func() bool { return recognizer.calls.Load() > before }, time.Minute, 10*time.Millisecond)
		return f
	}
	gone := begin()
	gone.body.CloseWithError(io.ErrUnexpectedEOF)
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond, "audio was left behind")

	f := begin()
	_, err = f.Write(file[len(file)/2:])
	require.NoError(t, err)
	result, err := s.Jobs.Wait(t.Context(), f.whole(t))
	require.NoError(t, err)
	assert.Greater(t, len(result.Transcript.Segments), 7)
	assert.InDelta(t, 240, *result.Transcript.DurationSec, 0.1)
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond)
}
