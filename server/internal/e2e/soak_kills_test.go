package e2e_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSoakKills kills one of two processes 50 times, each time in the middle of a step. The step
// stands in the queue again within 3 s, 95 times of 100, and each job ends with its text.
func TestSoakKills(t *testing.T) {
	soak(t)
	const kills, bound = 50, 3 * time.Second
	s := newPlace(t, storetest.Postgres(t).Database)
	key := s.makeKey(t)
	rows := beside{storetest.SQL(t, store.Options{Database: s.database})}
	var children [2]*child
	var names [2]string // in the table of processes
	spawn := func(n int) {
		children[n] = s.spawn(t, "127.0.0.1:0")
		require.NoError(t, rows.QueryRowContext(t.Context(), `SELECT max(id) FROM processes`).Scan(&names[n]))
	}
	spawn(0)
	spawn(1)
	var took []time.Duration
	for n := 0; len(took) < kills; n++ {
		require.Less(t, n, 3*kills, "the kills hit no step")
		victim, survivor := children[n%2], children[(n+1)%2]
		c := newClient(t, survivor.url, key)
		job := submit(t, c, burstsOf(t, time.Minute, uint64(n+1)))
		require.Eventually(t, func() bool {
			return rows.count(t, `SELECT count(*) FROM chunks AS c JOIN jobs AS j ON j.extraction_id = c.extraction_id
				WHERE c.done AND NOT c.silent AND j.id = '`+job.JobID+`'`) > 0
		}, time.Minute, 20*time.Millisecond)
		victim.kill()
		killed := time.Now()
		if step := rows.step(t, names[n%2]); step != "" {
			require.Eventually(t, func() bool { return rows.queuedAgain(t, step, names[n%2]) }, time.Minute, 5*time.Millisecond)
			took = append(took, time.Since(killed))
		}
		spawn(n % 2)
		result, err := c.Jobs.Wait(t.Context(), job.JobID)
		require.NoError(t, err)
		for i, segment := range result.Transcript.Segments {
			assert.Positive(t, begun(t, s.diary)[segment.Text], "segment %d is a text that nobody heard", i)
		}
		ended, err := c.Jobs.Get(t.Context(), job.JobID)
		require.NoError(t, err)
		assert.Equal(t, transcript.JobSuccess, ended.Status)
		require.LessOrEqual(t, s.heardTwice(t), len(took), "a chunk was heard again that no kill has hit")
		t.Logf("kill %d: work goes on after %v", len(took), took[max(len(took)-1, 0):])
	}
	slices.Sort(took)
	at := func(percent int) time.Duration { return took[(len(took)*percent+99)/100-1].Round(time.Millisecond) }
	t.Logf("%d kills: work goes on after %v (median), %v (90%%), %v (95%%), %v (longest)", kills, at(50), at(90), at(95), at(100))
	assert.LessOrEqual(t, at(95), bound)
}

// step is a recognition that the queue says a process does, by its arguments; "": there is none.
func (b beside) step(t *testing.T, process string) (args string) {
	t.Helper()
	err := b.QueryRowContext(t.Context(), `SELECT coalesce(min(CAST(args AS text)), '') FROM river_job
		WHERE state = 'running' AND kind = 'recognize' AND attempted_by[array_upper(attempted_by, 1)] = $1`, process).Scan(&args)
	require.NoError(t, err)
	return args
}

// queuedAgain tells that the step stands in the queue again, or that another process than the killed
// one has begun it.
func (b beside) queuedAgain(t *testing.T, args, killed string) (again bool) {
	t.Helper()
	err := b.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM river_job WHERE kind = 'recognize' AND CAST(args AS text) = $1
		AND (attempted_by IS NULL OR attempted_by[array_upper(attempted_by, 1)] <> $2))`, args, killed).Scan(&again)
	require.NoError(t, err)
	return again
}

// heardTwice counts how often a chunk was begun again.
func (s place) heardTwice(t *testing.T) (n int) {
	t.Helper()
	for _, times := range begun(t, s.diary) {
		n += times - 1
	}
	return n
}
