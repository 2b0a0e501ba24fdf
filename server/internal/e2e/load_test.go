package e2e_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// load hands in recordings of 20 s, of which no two are alike, and checks in the
// end that each that was accepted has become the right text.
type load struct {
	services   []*client.Client
	recordings []string
	accepted   map[string]string // the recording of each job
	refused    []error
}

func newLoad(t *testing.T, services ...*client.Client) *load {
	t.Helper()
	l := &load{services: services, accepted: map[string]string{}}
	for n := range uint64(60) {
		l.recordings = append(l.recordings, burstsOf(t, 20*time.Second, n))
	}
	return l
}

// during hands in a recording every two seconds, to one service after the other,
// while trouble goes on.
func (l *load) during(t *testing.T, trouble func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for n, path := range l.recordings {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.submit(l.services[n%len(l.services)], path)
			}
		}
	})
	trouble()
}

func (l *load) submit(service *client.Client, path string) {
	var now time.Duration
	_, job, err := service.Transcripts.Submit(context.Background(), transcript.Request{Source: transcript.File(path), Wait: &now})
	if err != nil {
		l.refused = append(l.refused, err)
		return
	}
	l.accepted[job.JobID] = path
}

// check waits for all jobs, and compares their texts with those of a service that
// nothing troubles.
func (l *load) check(t *testing.T) {
	t.Helper()
	for _, err := range l.refused {
		t.Logf("not accepted: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	began, texts := time.Now(), map[string][]transcript.Segment{}
	for id := range l.accepted {
		if got, err := l.services[0].Jobs.Wait(ctx, id); assert.NoError(t, err, "job %s", id) {
			texts[id] = got.Transcript.Segments
		}
	}
	t.Logf("%d jobs accepted, %d refused; %d ended with success, the last %v after the trouble",
		len(l.accepted), len(l.refused), len(texts), time.Since(began).Round(time.Second))
	require.NotEmpty(t, texts)

	calm := startService(t, func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: hasher{}}, nil
		}
	})
	for id, text := range texts {
		want, err := calm.Jobs.Wait(ctx, submit(t, calm.Client, l.accepted[id]).JobID)
		require.NoError(t, err)
		assert.Equal(t, want.Transcript.Segments, text, "job %s", id)
	}
}

// hasher hears what the diarist hears, at once.
type hasher struct{}

func (hasher) Info() engine.RecognizerInfo { return diarist{}.Info() }

func (hasher) Recognize(_ context.Context, audio engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	return heardHash(audio)
}
