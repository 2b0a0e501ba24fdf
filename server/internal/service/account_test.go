package service_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// prompted is a recognizer that takes prompts, and says them.
type prompted struct{ *script }

func (p prompted) Info() engine.RecognizerInfo {
	info := p.script.Info()
	info.Prompts = true
	return info
}

func newPrompted() *script {
	return &script{recognize: func(_ context.Context, _ int, _ engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		r := heard("by [" + o.Prompt + "]")
		r.Prompted = o.Prompt != ""
		return r, nil
	}}
}

// prompt sets an account's prompt.
func (b *bench) prompt(t *testing.T, account, prompt string) {
	t.Helper()
	require.NoError(t, b.store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return tx.Accounts.Put(ctx, db.Account{ID: account, Plan: "p", Prompt: prompt})
	}))
}

// hear sends an upload and returns what was heard in it, whether from the cache.
func (b *bench) hear(t *testing.T, account string, file []byte) (text string, prompted any) {
	t.Helper()
	out, err := b.submit(t, account, file, "")
	require.NoError(t, err)
	if out.Result != nil {
		return segmentsOf(t, out.Result.SegmentsJSON)[0].Text, out.Result.Metadata["prompted"]
	}
	job, err := b.Jobs.Wait(t.Context(), account, out.Job.JobID, nil)
	require.NoError(t, err)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	return segmentsOf(t, job.SegmentsJSON)[0].Text, job.Result.Metadata["prompted"]
}

// With another prompt a recording is recognized anew, with the same one never twice; the
// prompt of another account, and that of a link, are none.
func TestPromptOfUploads(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e := newPrompted()
		b := start(t, s, e, func(c *service.Config) { c.Engine.Recognizer = prompted{e} })
		file := recording(t, 5, 1)
		b.prompt(t, acme, "")
		for i, step := range []struct {
			prompt string
			calls  int
		}{{"", 1}, {"Grafana", 2}, {"Grafana", 2}, {"Kubernetes", 3}, {"", 4}} {
			b.prompt(t, acme, step.prompt)
			text, prompted := b.hear(t, acme, file)
			assert.Equal(t, "by ["+step.prompt+"]", text, "step %d", i)
			assert.Equal(t, step.prompt != "", prompted == true, "step %d", i)
			assert.Equal(t, step.calls, e.calls(), "step %d", i)
		}
		b.prompt(t, acme, "Grafana")
		text, _ := b.hear(t, "other", file)
		assert.Equal(t, "by []", text)
	})
}

// The prompt is that of the time when the upload was accepted, and with another one it is
// other work from the start.
func TestPromptChangesWhileUploadWaits(t *testing.T) {
	t.Parallel()
	e := newPrompted()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), e, func(c *service.Config) { c.Engine.Recognizer = prompted{e} })
	file := recording(t, 5, 1)
	ids := map[string]string{}
	for _, p := range []string{"Grafana", "Kubernetes"} {
		b.prompt(t, acme, p)
		ids[p] = b.job(t, file).JobID
	}
	assert.NotEqual(t, ids["Grafana"], ids["Kubernetes"])
	assert.Equal(t, ids["Kubernetes"], b.job(t, file).JobID)
	b.prompt(t, acme, "too late")

	var heard []string
	var mu sync.Mutex
	guided := e.recognize
	e.recognize = func(ctx context.Context, n int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		mu.Lock()
		heard = append(heard, o.Prompt)
		mu.Unlock()
		return guided(ctx, n, a, o)
	}
	b.startOne(t)
	for _, id := range ids {
		require.Equal(t, transcript.JobSuccess, b.end(t, id).Status)
	}
	mu.Lock()
	defer mu.Unlock()
	assert.ElementsMatch(t, []string{"Grafana", "Kubernetes"}, heard)
}

// Where nobody takes a prompt it changes nothing: what was heard with one is as good.
func TestPromptNobodyTakes(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	e := newPrompted()
	file := recording(t, 5, 1)
	takes := prepare(t, s, e, func(c *service.Config) { c.Engine.Recognizer = prompted{e} })
	takes.prompt(t, acme, "Grafana")
	require.NoError(t, takes.Start(t.Context()))
	takes.hear(t, acme, file)
	require.NoError(t, takes.Stop(t.Context()))

	plain := prepare(t, s, e)
	plain.startOne(t)
	for _, p := range []string{"Kubernetes", ""} {
		plain.prompt(t, acme, p)
		text, prompted := plain.hear(t, acme, file)
		assert.Equal(t, "by [Grafana]", text)
		assert.Equal(t, true, prompted)
	}
	plain.prompt(t, acme, "Kubernetes")
	text, _ := plain.hear(t, acme, recording(t, 5, 2))
	assert.Equal(t, "by []", text)
	assert.Equal(t, 2, e.calls())
}

// What is heard in a link is everybody's: no account's prompt guides it.
func TestPromptOfLinks(t *testing.T) {
	t.Parallel()
	sites := &platforms{sound: recording(t, 5, 1)}
	e := newPrompted()
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites, func(c *service.Config) { c.Engine.Recognizer = prompted{e} })
	b.prompt(t, acme, "Grafana")
	job := b.succeed(t, link("v1", "asr"))
	assert.Equal(t, "by []", segmentsOf(t, job.SegmentsJSON)[0].Text)
	assert.Nil(t, job.Result.Metadata["prompted"])
}
