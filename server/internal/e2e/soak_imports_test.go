package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSoakImportsBesideWrites imports 30 MB of texts with four requests at a time, while another
// account makes small changes: each change succeeds, and the median change takes at most five times as
// long as without the imports.
func TestSoakImportsBesideWrites(t *testing.T) {
	soak(t)
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newPlace(t, o.Database)
		s.plans = filepath.Join(t.TempDir(), "plans.json")
		require.NoError(t, os.WriteFile(s.plans, fmt.Appendf(nil, `{"defaultPlan": "self_hosted", "plans": {"self_hosted": `+mixedPlan+`}}`, "null", "null"), 0o600))
		running := s.spawn(t, "127.0.0.1:0")
		importer, other := newClient(t, running.url, s.makeKey(t)), newClient(t, running.url, makeKeyOf(t, s.open(t), "globex"))
		small := imported(t, other, 0, "A small text.\n")
		const rounds = 3
		var ratios []float64
		for round := range rounds {
			alone := slices.Sorted(slices.Values(starFor(t, other, small, 5*time.Second, nil)))
			done := make(chan struct{})
			var all sync.WaitGroup
			next := make(chan int)
			for range 4 {
				all.Go(func() {
					for n := range next {
						imported(t, importer, n, words(1<<20))
					}
				})
			}
			go func() {
				for n := range 10 {
					next <- 1 + 10*round + n
				}
				close(next)
				all.Wait()
				close(done)
			}()
			beside := slices.Sorted(slices.Values(starFor(t, other, small, time.Minute, done)))
			<-done
			require.NotEmpty(t, beside)
			ratios = append(ratios, float64(beside[len(beside)/2])/float64(alone[len(alone)/2]))
			t.Logf("median of %d changes alone: %v; of %d beside imports: %v, the longest %v", len(alone), alone[len(alone)/2], len(beside), beside[len(beside)/2], beside[len(beside)-1])
		}
		slices.Sort(ratios)
		assert.LessOrEqual(t, ratios[rounds/2], 5.0, "%v", ratios)
	})
}

// imported imports a text of a content.
func imported(t *testing.T, c *client.Client, n int, text string) library.Key {
	t.Helper()
	key := library.Key{Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("import%05d", n), Language: "en"}
	_, err := c.Library.Import(t.Context(), key, library.Import{Format: library.TXT, Content: []byte(text)})
	assert.NoError(t, err)
	return key
}

// starFor gives a saved text a star and takes it again, for a time at most and until done, and returns how
// long each request took.
func starFor(t *testing.T, c *client.Client, key library.Key, most time.Duration, done <-chan struct{}) (took []time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	key.Language = ""
	for n := 0; ctx.Err() == nil; n++ {
		change := c.Library.Star
		if n%2 == 1 {
			change = c.Library.Unstar
		}
		began := time.Now()
		err := change(ctx, key, client.WithRetry(client.NoRetry))
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			break
		}
		if !assert.NoError(t, err) {
			break
		}
		took = append(took, time.Since(began))
	}
	return took
}

// words are lines of words that do not repeat much, of a size in bytes.
func words(size int) string {
	var b strings.Builder
	for b.Len() < size {
		for range 8 {
			fmt.Fprintf(&b, "w%d ", rand.N(50_000))
		}
		b.WriteString("\n")
	}
	return b.String()
}
