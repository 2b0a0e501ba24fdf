package service_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const acme = "acme"

// script is an engine that does what a test says. Its media are normalized
// recordings as they are.
type script struct {
	mu    sync.Mutex
	begun int // recognitions that have begun

	probe     func() (engine.MediaInfo, error)
	recognize func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error)
}

func (s *script) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

func (s *script) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "script", Model: "m1", Languages: []string{"en"}}
}

func (s *script) Probe(context.Context, string) (engine.MediaInfo, error) {
	if s.probe != nil {
		return s.probe()
	}
	return engine.MediaInfo{Format: "wav", HasAudio: true}, nil
}

func (s *script) Normalize(_ context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	rec, err := speech.Open(in)
	if err != nil {
		return engine.Sound{}, transcript.Errorf(transcript.UploadInvalid, "The file is no recording.").Because(err)
	}
	defer rec.Close()
	length := min(rec.Duration(), o.Max)
	samples := int64(length / time.Second * speech.SampleRate)
	f, err := os.Create(out)
	if err != nil {
		return engine.Sound{}, err
	}
	defer f.Close()
	all := recognition.Chunk{Last: samples}
	return engine.Sound{Audio: engine.Audio{Path: out, Duration: length}}, all.Write(f, rec)
}

func (s *script) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	s.mu.Lock()
	s.begun++
	call := s.begun
	s.mu.Unlock()
	if s.recognize != nil {
		return s.recognize(ctx, call, a, o)
	}
	return heard("hello"), nil
}

// heard is one segment over the first second.
func heard(text string) engine.Recognition {
	words := []transcript.Word{{Text: text, Start: 0.1, End: 0.9}}
	segment := transcript.Segment{Text: text, Start: 0.1, Duration: 0.8, Words: words}
	return engine.Recognition{Segments: []transcript.Segment{segment}, Language: "en"}
}

// recording is a WAV of so many seconds of a loud tone, with a pause of half a
// second before every tenth second; variant makes its bytes unlike others'.
func recording(t testing.TB, seconds, variant int) []byte {
	t.Helper()
	pcm := bytes.Repeat(tenSeconds(), seconds/10+1)[:2*seconds*speech.SampleRate]
	binary.LittleEndian.PutUint16(pcm, uint16(variant))
	var wav bytes.Buffer
	require.NoError(t, speech.WriteWAV(&wav, bytes.NewReader(pcm), int64(len(pcm)/2)))
	return wav.Bytes()
}

// tenSeconds are the samples that a recording repeats.
var tenSeconds = sync.OnceValue(func() (pcm []byte) {
	for i := range 10 * speech.SampleRate {
		v := int16(8000)
		if i/100%2 == 0 {
			v = -v
		}
		if i > 19*speech.SampleRate/2 {
			v = 0
		}
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(v))
	}
	return pcm
})

// silentRecording is a WAV of silence.
func silentRecording(t testing.TB, seconds int) []byte {
	t.Helper()
	n := int64(seconds * speech.SampleRate)
	var wav bytes.Buffer
	require.NoError(t, speech.WriteWAV(&wav, io.LimitReader(zeros{}, 2*n), n))
	return wav.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// bench is a pipeline at work on a store.
type bench struct {
	*service.Service
	store *db.Store
	dir   string
}

// start runs a pipeline until the test ends.
func start(t *testing.T, s *db.Store, e *script, change ...func(*service.Config)) *bench {
	t.Helper()
	b := prepare(t, s, e, change...)
	require.NoError(t, b.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, b.Stop(ctx))
		left, err := os.ReadDir(b.dir)
		require.NoError(t, err)
		require.Empty(t, left, "scratch files were left behind")
	})
	return b
}

func prepare(t *testing.T, s *db.Store, e *script, change ...func(*service.Config)) *bench {
	t.Helper()
	dir := filepath.Join(t.TempDir())
	cfg := service.Config{Store: s, Engine: engine.Engine{Media: e, Recognizer: e}, Dir: dir, Log: slog.New(slog.DiscardHandler), Metrics: metrics.New("test"),
		ASRWorkers: 2, MaxMediaDuration: 12 * time.Hour, MinFreeDisk: 512 << 20, ProgressInterval: time.Millisecond,
		Sites: site.Default(), ShortLinks: &shortlink.Follower{Sites: site.Default(), Client: func() *http.Client { return http.DefaultClient }},
		Pace: pace.Config{Rate: pace.Unlimited()}, LookupBudget: 10 * time.Second, DiscoveryBudget: 10 * time.Second}
	cfg.AudioStays(time.Nanosecond, 100*time.Millisecond)
	for _, f := range change {
		f(&cfg)
	}
	p, err := service.New(cfg)
	require.NoError(t, err)
	return &bench{Service: p, store: s, dir: dir}
}

// submit hands in a file for an account. The database has long to answer, as the machine may be busy.
func (b *bench) submit(t *testing.T, account string, file []byte, languages string) (*intake.Outcome, error) {
	t.Helper()
	u, err := b.Receive(db.Unhurried(t.Context()), bytes.NewReader(file), 1<<30)
	require.NoError(t, err)
	u.Name = "talk.wav"
	s := intake.Submission{Account: account, Plan: plan(), Wish: intake.Wish{View: view.View{SendMetadata: true}}}
	if languages != "" {
		s.Languages, err = transcript.ParseLanguageList(languages)
		require.NoError(t, err)
	}
	return u.Commit(db.Unhurried(t.Context()), s)
}

// job submits a file that is not in the cache.
func (b *bench) job(t *testing.T, file []byte) *view.Job {
	t.Helper()
	out, err := b.submit(t, acme, file, "")
	require.NoError(t, err)
	require.NotNil(t, out.Job)
	return out.Job
}

// end waits for a job's end.
func (b *bench) end(t *testing.T, id string) *view.Job {
	t.Helper()
	job, err := b.Jobs.Wait(db.Unhurried(t.Context()), acme, id, nil)
	require.NoError(t, err)
	require.True(t, job.Status.Terminal(), "the job still is %s/%s", job.Status, job.Stage)
	return job
}

// blobs are the keys of all blobs.
func (b *bench) blobs(t *testing.T) []string {
	t.Helper()
	keys, err := b.store.Blobs.Keys(t.Context(), "")
	require.NoError(t, err)
	return keys
}

// holds reports whether so many blobs have keys with the prefix. A list fails if a blob goes
// while it is made: then the caller asks again.
func (b *bench) holds(t *testing.T, prefix string, n int) bool {
	t.Helper()
	keys, err := b.store.Blobs.Keys(t.Context(), prefix)
	return err == nil && len(keys) == n
}

// nothingLeft asserts that the audio of a job that has ended goes soon after.
func (b *bench) nothingLeft(t *testing.T) {
	t.Helper()
	assert.Eventually(t, func() bool { return b.holds(t, "", 0) }, time.Minute, 10*time.Millisecond, "audio was left behind")
}
