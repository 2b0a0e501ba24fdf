package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// load is what clients do while the service is restarted.
type load struct {
	client  *client.Client
	answers atomic.Int64 // those that a client has got
	jobs    []string     // those that the service has accepted
}

// loads returns clients with the same key. The first opens a connection for every request and
// repeats nothing, so it sees every refusal. The second keeps its connections, as most programs do.
func loads(t *testing.T, url, key string) []*load {
	t.Helper()
	fresh, err := client.New(url, client.WithAPIKey(key), client.WithRetry(client.NoRetry),
		client.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
	require.NoError(t, err)
	kept, err := client.New(url, client.WithAPIKey(key))
	require.NoError(t, err)
	return []*load{{client: fresh}, {client: kept}}
}

// run asks and uploads until ctx ends. A request that has begun is sent to its end.
func (l *load) run(ctx context.Context, t *testing.T, file string) {
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		if n%20 == 0 {
			err = l.upload(t.Context(), file)
		} else {
			_, err = l.client.Usage.Get(t.Context())
		}
		var refused *client.Error
		if errors.As(err, &refused) && refused.Retryable() {
			err = nil // a client repeats it
		}
		if !assert.NoError(t, err, "request %d", n) {
			return
		}
		l.answers.Add(1)
	}
}

func (l *load) upload(ctx context.Context, file string) error {
	_, job, err := l.client.Transcripts.Submit(ctx, transcript.Request{Source: transcript.File(file), Wait: new(time.Duration)})
	if err != nil {
		return err
	}
	if job != nil { // not the text of a recording that is known
		l.jobs = append(l.jobs, job.JobID)
	}
	return nil
}

// awaitAnswers waits until each client has got some more answers.
func awaitAnswers(t *testing.T, all []*load) {
	t.Helper()
	for _, l := range all {
		enough := l.answers.Load() + 25
		require.Eventually(t, func() bool { return t.Failed() || l.answers.Load() >= enough }, time.Minute, 5*time.Millisecond)
	}
}

// serve starts the service of the unit. end ends it and checks its exit.
func (u *unit) serve(t *testing.T) (end func()) {
	t.Helper()
	p := await(t, u.prepare(t, 1, "serve"))
	type ending struct {
		code int
		log  string
	}
	ended := make(chan ending, 1)
	go func() { // reads the log, so that the service never waits for a reader
		rest, _ := io.ReadAll(p.logged) // what is missing fails the checks of the exit
		_ = p.Wait()                    // the state tells
		ended <- ending{p.ProcessState.ExitCode(), string(rest)}
	}()
	return func() {
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		e := <-ended
		require.Equal(t, exitOK, e.code, e.log)
	}
}

// restarts is how often TestRestartsUnderLoad restarts the service.
const restarts = 4

// While the service is restarted, no connection is refused, no request fails that a client may not
// repeat, and every accepted recording becomes a text.
func TestRestartsUnderLoad(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	db := newDatabase(t)
	plans := filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"defaultPlan": "all", "plans": {"all": {"paid": true, "upload": true, "asr": true, "maxUploadBytes": 1000000, "maxDurationSec": 60, "asrMinutesPerPeriod": 1000000, "transcriptsPerPeriod": 1000000,
		"rateLimit": {"requests": 1000000, "windowSec": 60}, "asrConcurrency": 2, "asrWaiting": 10000}}}`), 0o600))
	u := newUnit(t, "tcp", "127.0.0.1:0", "TRANSCRIPTD_DB="+db, "TRANSCRIPTD_PLANS="+plans, "TRANSCRIPTD_BLOBS="+t.TempDir(),
		"TRANSCRIPTD_ASR=whisper-server:"+recognizing(t), "TRANSCRIPTD_DRAIN_DELAY=100ms")
	must(t, "accounts", "set", "acme", "--db", db, "--plans", plans)
	key := strings.TrimSpace(must(t, "keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts", "--db", db, "--plans", plans).stdout)

	stop := u.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	all := loads(t, "http://"+u.addr, key)
	for _, l := range all {
		running.Go(func() { l.run(ctx, t, recording) })
	}
	for range restarts {
		awaitAnswers(t, all)
		stop()
		stop = u.serve(t)
	}
	awaitAnswers(t, all)
	cancel()
	running.Wait()
	for _, l := range all {
		t.Logf("%d answers, %d jobs", l.answers.Load(), len(l.jobs))
		for _, id := range l.jobs {
			result, err := all[1].client.Jobs.Wait(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, "This is a short talk.", result.Transcript.Segments[0].Text)
		}
	}
	stop()
}
