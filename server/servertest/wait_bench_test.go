package servertest_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// BenchmarkWait measures how long after the end of its job a wait returns, over loopback,
// as a share of 100 ms. A job ends when its row says so: in whole milliseconds.
func BenchmarkWait(b *testing.B) {
	for name, wait := range map[string]func(b *testing.B, c *client.Client, n int, ready func()) (ended time.Time){
		"Get": func(b *testing.B, c *client.Client, n int, ready func()) time.Time {
			m := &media{content: fmt.Appendf(nil, "media %d", n)}
			time.AfterFunc(50*time.Millisecond, ready)
			result, err := c.Transcripts.Get(b.Context(), atOnce(m.source(int64(len(m.content)))))
			require.NoError(b, err)
			return result.Transcript.UpdatedAt.Time
		},
		"Batches.Wait": func(b *testing.B, c *client.Client, n int, ready func()) time.Time {
			made, err := c.Batches.Create(b.Context(), client.BatchParams{URLs: []string{fmt.Sprintf("vid-%07d", n)}, Language: []string{"asr"}})
			require.NoError(b, err)
			time.AfterFunc(50*time.Millisecond, ready)
			done, err := c.Batches.Wait(b.Context(), made.ID)
			require.NoError(b, err)
			return done.UpdatedAt.Time
		},
	} {
		row := "from the end of a job to that of " + name + ", of 100 ms"
		if !ratio.Wanted(row) {
			continue
		}
		s := servertest.New(b)
		c, err := client.New(s.URL, client.WithAPIKey(s.Key))
		require.NoError(b, err)
		var gate atomic.Pointer[chan struct{}]
		s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			select {
			case <-*gate.Load():
				return servertest.Heard("four score", a.Duration), nil
			case <-ctx.Done():
				return engine.Recognition{}, ctx.Err()
			}
		})
		var late []float64
		for n := range 20 {
			held := make(chan struct{})
			gate.Store(&held)
			ended := wait(b, c, n, func() { close(held) })
			late = append(late, float64(time.Since(ended))/float64(100*time.Millisecond))
		}
		slowest := slices.Max(late) * 100
		ratio.Row{Name: row, Ratios: late, AtMost: 1, Note: fmt.Sprintf("the slowest of 20: %.0f ms", slowest)}.Report(b)
	}
}
