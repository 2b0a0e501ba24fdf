package e2e_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
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
	// retryAfter says when the key is free, once job is closed without a job.
	retryAfter string
}

// send begins to send a file. The rest of it goes through Write and whole.
func (s *service) send(t *testing.T, name string) *sent {
	t.Helper()
	return send(t, s.url, s.key, name, "")
}

// send is service.send to a service at an address, with an idempotency key if the key is not
// empty.
func send(t *testing.T, url, apiKey, name, idempotencyKey string) *sent {
	t.Helper()
	read, write := io.Pipe()
	f := &sent{form: multipart.NewWriter(write), body: write, job: make(chan string, 1)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/transcript", read)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+apiKey)
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	req.Header.Set("Content-Type", f.form.FormDataContentType())
	go func() {
		defer close(f.job)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return // the client has gone away, or the service has
		}
		defer res.Body.Close()
		f.retryAfter = res.Header.Get("Retry-After")
		if res.StatusCode != http.StatusConflict && assert.Equal(t, http.StatusAccepted, res.StatusCode) {
			f.job <- res.Header.Get("Location")[len("/v1/transcript/job/"):]
		}
	}()
	require.NoError(t, f.form.WriteField("waitMs", "0"))
	f.Writer, err = f.form.CreateFormFile("file", name)
	require.NoError(t, err)
	return f
}

// slowly sends some bytes within 7 s, so that they are decoded and recognized as they arrive.
func (f *sent) slowly(file []byte) error {
	const pieces = 35
	pause := time.NewTicker(200 * time.Millisecond)
	defer pause.Stop()
	for i := range pieces {
		<-pause.C
		if _, err := f.Write(file[len(file)*i/pieces : len(file)*(i+1)/pieces]); err != nil {
			return err
		}
	}
	return nil
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

// TestKillWhileAFileArrives kills the process that receives and recognizes a file. The client
// sends the file again with the same key, and the text has each chunk once.
func TestKillWhileAFileArrives(t *testing.T) {
	full(t)
	t.Parallel()
	const length = 4 * time.Minute
	for name, shared := range map[string]bool{"one process": false, "two processes and an object store": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t, "sqlite:"+filepath.Join(t.TempDir(), "service.db"))
			if shared {
				s = newPlace(t, storetest.Postgres(t).Database)
				s.blobs = storetest.S3(t)
			}
			s.scratch = t.TempDir()
			key, addr := s.makeKey(t), freeAddr(t)
			file, err := os.ReadFile(bursts(t, length))
			require.NoError(t, err)
			victim := s.spawn(t, addr)
			f := send(t, victim.url, key, "talk.wav", "k")
			require.NoError(t, f.slowly(file[:len(file)*3/4]))
			require.Eventually(t, func() bool { return len(begun(t, s.diary)) >= 2 }, time.Minute, 50*time.Millisecond)
			victim.kill()
			f.body.CloseWithError(io.ErrUnexpectedEOF)
			require.Empty(t, <-f.job, "the client has an answer")

			survivor := s.spawn(t, addr)
			job := ""
			for tries := 0; job == "" && tries < 20; tries++ {
				f := send(t, survivor.url, key, "talk.wav", "k")
				if err := f.slowly(file); err == nil {
					job = f.whole(t)
				} else {
					require.Empty(t, <-f.job) // the answer came before the file was sent
				}
				if job == "" {
					seconds, err := strconv.Atoi(f.retryAfter)
					require.NoError(t, err)
					<-time.After(time.Duration(seconds) * time.Second) // the lease of the dead process
				}
			}
			result, err := newClient(t, survivor.url, key).Jobs.Wait(t.Context(), job)
			require.NoError(t, err)
			segments, counts := result.Transcript.Segments, begun(t, s.diary)
			heard := map[string]bool{}
			for i, segment := range segments {
				assert.Positive(t, counts[segment.Text], "a text that was not heard")
				assert.False(t, heard[segment.Text], "a chunk is there twice")
				heard[segment.Text] = true
				if i > 0 {
					assert.InDelta(t, segments[i-1].Start+segments[i-1].Duration, segment.Start, 1)
				}
			}
			last := segments[len(segments)-1]
			assert.InDelta(t, length.Seconds(), last.Start+last.Duration, 1)
			assert.InDelta(t, length.Seconds(), *result.Transcript.DurationSec, 0.1)
		})
	}
}

// TestFileThatTellsItsTimesAtItsEnd sends an MP4 slowly whose index comes last: it cannot be
// recognized while it arrives, and is recognized once when it is whole.
func TestFileThatTellsItsTimesAtItsEnd(t *testing.T) {
	full(t)
	t.Parallel()
	recognizer := new(counted)
	s := startService(t, recognizedBy(recognizer))
	file, err := os.ReadFile(record(t, "talk.m4a", speaking+"240 -c:a aac -b:a 256k"))
	require.NoError(t, err)
	require.Greater(t, bytes.Index(file, []byte("moov")), len(file)*9/10, "the index is not at the end")
	f := s.send(t, "talk.m4a")
	require.NoError(t, f.slowly(file[:len(file)/2]))
	assert.Zero(t, recognizer.calls.Load())
	_, err = f.Write(file[len(file)/2:])
	require.NoError(t, err)
	result, err := s.Jobs.Wait(t.Context(), f.whole(t))
	require.NoError(t, err)
	assert.Len(t, result.Transcript.Segments, int(recognizer.calls.Load()), "a chunk was recognized twice")
	assert.InDelta(t, 240, *result.Transcript.DurationSec, 0.1)
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond)
}
