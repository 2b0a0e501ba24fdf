package e2e_test

import (
	"context"
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
	services []*client.Client
	accepted map[string]string // the recording of each job
	refused  int
}

func newLoad(services ...*client.Client) *load {
	return &load{services: services, accepted: map[string]string{}}
}

// during hands in a recording every two seconds, to one service after the other,
// while trouble goes on.
func (l *load) during(t *testing.T, trouble func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		trouble()
	}()
	for n := uint64(1); ; n++ {
		select {
		case <-over:
			return
		case <-time.After(2 * time.Second):
			l.submit(t, n)
		}
	}
}

func (l *load) submit(t *testing.T, n uint64) {
	t.Helper()
	path := burstsOf(t, 20*time.Second, n)
	var now time.Duration
	service := l.services[int(n)%len(l.services)]
	_, job, err := service.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(path), Wait: &now})
	if err != nil {
		l.refused++
		t.Logf("not accepted: %v", err)
		return
	}
	l.accepted[job.JobID] = path
}

// check compares the texts with those of a service that nothing troubles.
func (l *load) check(t *testing.T) {
	t.Helper()
	calm := startService(t, func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: hasher{}}, nil
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	began, right := time.Now(), 0
	for id, path := range l.accepted {
		got, err := l.services[0].Jobs.Wait(ctx, id)
		if !assert.NoError(t, err, "job %s", id) {
			continue
		}
		want, err := calm.Jobs.Wait(ctx, submit(t, calm.Client, path).JobID)
		require.NoError(t, err)
		if assert.Equal(t, want.Transcript.Segments, got.Transcript.Segments, "job %s", id) {
			right++
		}
	}
	t.Logf("%d jobs accepted, %d refused; %d ended with the right text, the last %v after the trouble",
		len(l.accepted), l.refused, right, time.Since(began).Round(time.Second))
	require.NotEmpty(t, l.accepted)
}

// hasher hears what the diarist hears, at once.
type hasher struct{}

func (hasher) Info() engine.RecognizerInfo { return diarist{}.Info() }

func (hasher) Recognize(_ context.Context, audio engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	return heardHash(audio)
}
