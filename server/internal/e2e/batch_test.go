package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

const (
	// batchSize is the number of links in a batch of the benchmarks.
	batchSize = 500
	// killedBatch is the number of links in a batch whose process is killed: more than a
	// page of items.
	killedBatch = 200
)

// reader is a caption source whose texts have 50 segments. It notes in a diary what it
// has read.
type reader struct {
	diary string // "": none
	takes time.Duration
}

// childCaptions is what a child reads captions with.
func childCaptions() engine.CaptionSource {
	takes, err := time.ParseDuration(os.Getenv(childReads))
	if err != nil {
		return teller{}
	}
	return reader{os.Getenv(childDiary), takes}
}

func (reader) Origin(p transcript.Platform) (transcript.Origin, bool) { return teller{}.Origin(p) }

func (r reader) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{
		Metadata: transcript.Metadata{Title: "Talk " + c.ExternalID, CreatorName: "Somebody", Duration: 100},
		Tracks:   []transcript.Track{{ID: "en", Lang: "en", Kind: transcript.TrackManual}},
	}
	err := found.Choose(pick, func(int) (caption.File, error) {
		select {
		case <-ctx.Done():
			return caption.File{}, context.Cause(ctx)
		case <-time.After(r.takes):
		}
		segments := make([]transcript.Segment, 50)
		for i := range segments {
			segments[i] = transcript.Segment{Text: fmt.Sprintf("%s says its sentence number %d.", c.ExternalID, i), Start: float64(2 * i), Duration: 2}
		}
		if r.diary == "" {
			return caption.File{Segments: segments}, nil
		}
		return caption.File{Segments: segments}, diarist{r.diary}.write(c.ExternalID)
	})
	return found, err
}

// batchLinks are n links of a batch. Each round has its own links.
func batchLinks(round, n int) []string {
	links := make([]string, n)
	for i := range links {
		links[i] = fmt.Sprintf("https://youtu.be/r%05d-%04d", round, i)
	}
	return links
}

// TestKillInABatchOnSQLite kills the only process in the middle of a batch and starts it
// again on the same file.
func TestKillInABatchOnSQLite(t *testing.T) {
	t.Parallel()
	s := newPlace(t, "sqlite:"+filepath.Join(t.TempDir(), "service.db"))
	s.reads = "20ms"
	key, addr := s.makeKey(t), freeAddr(t)
	first := s.spawn(t, addr)
	c := newClient(t, first.url, key)
	s.killInABatch(t, c, first, func() { s.spawn(t, addr) })
}

// TestKillInABatchOnPostgres kills one of two workers in the middle of a batch.
func TestKillInABatchOnPostgres(t *testing.T) {
	full(t)
	t.Parallel()
	s := newPlace(t, storetest.Postgres(t).Database)
	s.reads = "20ms"
	key := s.makeKey(t)
	api, victim := s.as(t, server.RoleAPI).spawn(t, "127.0.0.1:0"), s.as(t, server.RoleWorker).spawn(t, "")
	s.as(t, server.RoleWorker).spawn(t, "")
	s.killInABatch(t, newClient(t, api.url, key), victim, func() {})
}

// killInABatch kills a process in the middle of a batch: all of its items end, and what
// was stored by then is not read again.
func (s place) killInABatch(t *testing.T, c *client.Client, victim *child, replace func()) {
	t.Helper()
	made, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: batchLinks(0, killedBatch), Language: []string{"en"}})
	require.NoError(t, err)
	st := db.Of(s.open(t))
	done := func() (ids []string) {
		items, err := st.Items.Page(t.Context(), "acme", made.ID, 0, killedBatch)
		require.NoError(t, err)
		for _, item := range items {
			if item.Status == batch.ItemSuccess {
				ids = append(ids, item.ExternalID)
			}
		}
		return ids
	}
	require.Eventually(t, func() bool { return len(done()) >= killedBatch/10 }, time.Minute, 20*time.Millisecond)
	victim.kill()
	stored := done()
	require.Less(t, len(stored), killedBatch, "it was over before the kill")
	replace()

	killed := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	job, err := c.Batches.Wait(ctx, made.ID)
	require.NoError(t, err)
	t.Logf("%d items were stored at the kill, the others %v later", len(stored), time.Since(killed).Round(100*time.Millisecond))
	assert.Equal(t, batch.Completed, job.Status)
	assert.Equal(t, batch.Counts{Total: killedBatch, Success: killedBatch}, job.Counts)
	assert.Equal(t, killedBatch, job.Done)

	reads, again := begun(t, s.diary), 0
	for _, id := range stored {
		assert.Equal(t, 1, reads[id], "%s was stored and has been read again", id)
	}
	for _, n := range reads {
		again += n - 1
	}
	t.Logf("%d that were not stored have been read again", again)
	n := 0
	for item, err := range c.Batches.AllItems(t.Context(), made.ID) {
		require.NoError(t, err)
		assert.Equal(t, batch.ItemSuccess, item.Status)
		assert.Equal(t, fmt.Sprintf("r00000-%04d", n), item.ExternalID)
		assert.NotNil(t, item.TranscriptRef)
		n++
	}
	assert.Equal(t, killedBatch, n)
	usage, err := c.Usage.Get(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, killedBatch, usage.Transcripts.Used, "each is paid for once")
}

// BenchmarkBatchOnPostgres takes batches through 1, 2 and 4 processes that work, beside
// one that accepts them, and tells how many items each of these does in a second. It
// fails where two do less than 1.6 times as much as one and there are processors for
// them, the database and the rest.
func BenchmarkBatchOnPostgres(b *testing.B) {
	s := newPlace(b, storetest.Postgres(b).Database)
	s.reads = "0s"
	key := s.makeKey(b)
	c := newClient(b, s.as(b, server.RoleAPI).spawn(b, "127.0.0.1:0").url, key)
	round := 0
	for b.Loop() {
		rates := map[int]float64{}
		for _, workers := range []int{1, 2, 4} {
			children := make([]*child, workers)
			for i := range children {
				children[i] = s.as(b, server.RoleWorker).spawn(b, "")
			}
			s.batchRate(b, c, round) // warm
			round++
			rates[workers] = s.batchRate(b, c, round)
			round++
			for _, child := range children {
				require.NoError(b, child.cmd.Process.Signal(syscall.SIGTERM))
				require.NoError(b, child.cmd.Wait())
			}
			b.ReportMetric(rates[workers]/float64(workers), fmt.Sprintf("items/s/worker-%d", workers))
			b.Logf("%d workers on %d processors: %.0f items a second, %.0f for each worker", workers, runtime.NumCPU(), rates[workers], rates[workers]/float64(workers))
		}
		if gain := rates[2] / rates[1]; gain < 1.6 && runtime.NumCPU() >= 4 {
			b.Errorf("two workers do %.2f times as much as one", gain)
		}
	}
}

// batchRate is how many items of a batch are done in a second.
func (s place) batchRate(b *testing.B, c *client.Client, round int) float64 {
	b.Helper()
	st := db.Of(s.open(b))
	began := time.Now()
	made, err := c.Batches.Create(b.Context(), client.BatchParams{URLs: batchLinks(round, batchSize), Language: []string{"en"}})
	require.NoError(b, err)
	for {
		counts, err := st.Items.Counts(b.Context(), made.ID)
		require.NoError(b, err)
		if counts.Pending == 0 {
			require.Equal(b, batch.Counts{Total: batchSize, Success: batchSize}, counts)
			return batchSize / time.Since(began).Seconds()
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-b.Context().Done():
			b.Fatal("it takes too long")
		}
	}
}
