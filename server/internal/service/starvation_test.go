package service_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// However much one account has in line, the first chunk of another's recording begins
// after at most two of its chunks, whatever the plans permit.
func TestNobodyStarves(t *testing.T) {
	t.Parallel()
	const oneUpload, oneLink = 5000, 6000
	uploads, links := 30, 30
	if testing.Short() {
		uploads, links = 10, 10
	}
	for name, plan := range map[string]account.Plan{
		"all at once":   roomy(account.Unlimited, account.Unlimited),
		"one at a time": roomy(1, 2*uploads*links),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				tables := storetest.SQL(t, store.Options(o))
				var mu sync.Mutex
				var begun []int
				next := make(chan struct{})
				h := startHall(t, dbtest.Open(t, o), func(c *service.Config) {
					c.ASRWorkers = 1
					c.Engine.Recognizer = &script{recognize: func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
						n, err := variantOf(a)
						mu.Lock()
						begun = append(begun, n)
						mu.Unlock()
						select {
						case <-next:
							return heard("hello"), err
						case <-ctx.Done():
							return engine.Recognition{}, context.Cause(ctx)
						}
					}}
				})
				h.set(func(p *platforms) { p.sound = recording(t, 1, 1) })
				await := func(n int) {
					require.Eventually(t, func() bool {
						mu.Lock()
						defer mu.Unlock()
						return len(begun) == n
					}, time.Minute, time.Millisecond)
				}
				for n := range uploads {
					h.takes(t, acme, plan, n)
				}
				for n := range links {
					h.asks(t, acme, plan, fmt.Sprint("v", n), "asr")
				}
				standInLine(t, tables, "download", 0)
				standInLine(t, tables, "media", 0)
				await(1)
				inLine := 0
				if plan.ASRConcurrency == account.Unlimited {
					inLine = uploads + links - 1
				}
				h.set(func(p *platforms) { p.sound = recording(t, 1, oneLink) })
				for short, ask := range map[int]func(){
					oneUpload: func() { h.takes(t, "other", plan, oneUpload) },
					oneLink:   func() { h.asks(t, "other", plan, "short", "asr") },
				} {
					standInLine(t, tables, "asr", inLine) // behind the chunk that is being heard
					mu.Lock()
					before := len(begun)
					mu.Unlock()
					ask()
					standInLine(t, tables, "asr", inLine+1)
					next <- struct{}{}
					next <- struct{}{}
					await(before + 2)
					assert.Contains(t, begun[before:], short)
					inLine = max(inLine-1, 0)
				}
			})
		})
	}
}
