package server_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// journey is what a caller does, and what becomes of it. It is made again and again, each
// time with contents of its own, which a number names.
type journey struct {
	// prepare does what comes before, undisturbed, and returns what is found later.
	prepare func(c *traveller, n int) string
	// travel asks, and waits for what was asked for.
	travel func(c *traveller, n int, prepared string)
	// pays is what the account has used by it: transcripts and minutes.
	pays [2]int
	// orFree tells that whoever asks again may be answered from the cache, and not pay.
	orFree bool
}

var journeys = map[string]journey{
	"captions": {
		travel: func(c *traveller, n int, _ string) {
			c.insist(http.MethodGet, "/v1/video_site/captions?videoId="+videoOf(n), "", 200)
		},
		pays:   [2]int{1, 0},
		orFree: true,
	},
	"link with captions": {
		travel: func(c *traveller, n int, _ string) { c.await(c.job(c.link(n, "en")), "success") },
		pays:   [2]int{1, 0},
	},
	"link that is recognized": {
		travel: func(c *traveller, n int, _ string) { c.await(c.job(c.link(n, "asr")), "success") },
		pays:   [2]int{1, 1},
	},
	"upload": {
		travel: func(c *traveller, n int, _ string) { c.await(c.job(c.upload(n)), "success") },
		pays:   [2]int{1, 1},
	},
	"a text that is there": {
		prepare: func(c *traveller, n int) string { c.await(c.job(c.link(n, "en")), "success"); return "" },
		travel:  func(c *traveller, n int, _ string) { c.link(n, "en") },
	},
	"cancel": {
		prepare: func(c *traveller, n int) string {
			c.release = c.Engine.HoldCaptions()
			return c.job(c.link(n, "en"))
		},
		travel: func(c *traveller, _ int, job string) {
			c.insist(http.MethodPost, jobPath(job)+"/cancel", "", 202, 409)
			c.release()
			c.await(job, "cancelled")
		},
	},
	"batch": {
		travel: func(c *traveller, n int, _ string) {
			c.batchEnds(c.batch(ofLinks(videoOf(n, 1), videoOf(n, 2), videoOf(n, 3))), "completed", 3)
		},
		pays: [2]int{3, 0},
	},
	"playlist": {
		travel: func(c *traveller, n int, _ string) {
			c.Engine.SetList(playlistID, videoOf(n, 1), videoOf(n, 2), videoOf(n, 3))
			c.batchEnds(c.batch(`{"playlistId":"`+playlistID+`"}`), "completed", 3)
		},
		pays: [2]int{3, 0},
	},
}

func videoOf(n ...int) string {
	return fmt.Sprintf("j%05d-%04d", n[0], append(n, 0)[1])
}

// TestFaults lets single statements fail in the midst of journeys: refused by a full disk,
// cut off on their way, or their answers lost. The caller who insists has in the end
// exactly what an undisturbed one has, and pays as much; all work ends by itself; and
// the tables keep all laws. Here some statements of each journey fail, chosen by the clock;
// make soak takes all.
func TestFaults(t *testing.T) {
	t.Parallel()
	sweepFaults(t, 4)
}

// TestSoakFaults is TestFaults for all statements.
func TestSoakFaults(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	t.Parallel()
	sweepFaults(t, 1<<30)
}

// sweepFaults lets at most so many points of every journey fail, on both databases.
func sweepFaults(t *testing.T, most int) {
	t.Helper()
	for name, j := range journeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) { newTraveller(t, o).sweep(j, most) })
		})
	}
}

// traveller is whoever goes on a journey.
type traveller struct {
	*service
	t      *testing.T
	faults *dbtest.Faults
	tables *sql.DB // by a way on which no statement fails
	trips  int
	asked  int
	// release lets held work go on.
	release func()
}

func newTraveller(t *testing.T, o store.Options) *traveller {
	t.Helper()
	faults, ctx, behind := dbtest.Faulty(t, o)
	c := &traveller{t: t, faults: faults, tables: storetest.SQL(t, o)}
	c.service = startUnder(ctx, t, behind, t.TempDir())
	c.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	return c
}

// sweep makes a journey undisturbed, to count its statements, and then lets the statements
// fail one after the other, or some of them.
func (c *traveller) sweep(j journey, most int) {
	c.t.Helper()
	c.travel(j, 0, dbtest.NoFault) // what is asked once for all
	statements := c.travel(j, 0, dbtest.NoFault)
	type point struct {
		n  int
		as dbtest.Fault
	}
	var points []point
	for n := range statements {
		for _, as := range []dbtest.Fault{dbtest.Refused, dbtest.Cut, dbtest.Lost} {
			points = append(points, point{n + 1, as})
		}
	}
	if most < len(points) {
		seed := uint64(time.Now().UnixNano())
		c.t.Logf("seed %d", seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		points = points[:most]
	}
	for _, p := range points {
		c.travel(j, p.n, p.as)
	}
	c.t.Logf("%d points of %d statements", len(points), statements)
}

// travel makes the journey once, with one statement failing, and looks at what it has
// left. It returns how many statements were made.
func (c *traveller) travel(j journey, at int, as dbtest.Fault) int {
	c.t.Helper()
	c.trips++
	n, prepared := c.trips, ""
	if j.prepare != nil {
		prepared = j.prepare(c, n)
	}
	before := c.used()
	c.faults.Arm(at, as)
	j.travel(c, n, prepared)
	statements := c.faults.Disarm()
	what := "undisturbed"
	if at > 0 {
		what = fmt.Sprintf("%v of statement %d: %s", as, at, slices.Concat(statements, make([]string, at))[at-1])
	}
	c.ends(what)
	after := c.used()
	paid := [2]int{after[0] - before[0], after[1] - before[1]}
	if !j.orFree || at == 0 || paid != [2]int{} {
		require.Equal(c.t, j.pays, paid, what)
	}
	return len(statements)
}

// ends waits until all work has ended and all laws hold.
func (c *traveller) ends(what string) {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute) // a request that was lost holds its key for one
	for {
		broken, err := dbtest.Broken(c.t.Context(), c.tables, true)
		if err == nil && len(broken) == 0 {
			return
		}
		if time.Now().After(deadline) {
			require.NoError(c.t, err, what)
			require.Empty(c.t, broken, what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// used are the transcripts and minutes that were paid so far.
func (c *traveller) used() (used [2]int) {
	c.t.Helper()
	require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(),
		"SELECT coalesce(sum(used_transcripts), 0), coalesce(sum(used_minutes), 0) FROM usage").Scan(&used[0], &used[1]))
	return used
}

// insist asks until it is answered with one of the statuses. Until then it may hear that
// the service cannot answer for the moment, or that its first request is not done yet.
func (c *traveller) insist(method, path, body string, ok ...int) *answer {
	c.t.Helper()
	c.asked++
	kind, key := "application/json", fmt.Sprint("key-", c.asked)
	if strings.HasPrefix(body, "--") {
		kind = "multipart/form-data; boundary=" + strings.TrimSpace(body[2:strings.Index(body, "\r\n")])
	}
	for {
		a := c.do(c.t, method, path, io.Reader(bytes.NewReader([]byte(body))), func(r *http.Request) {
			if method == http.MethodPost {
				r.Header.Set("Content-Type", kind)
				r.Header.Set("Idempotency-Key", key)
			}
		})
		if slices.Contains(ok, a.StatusCode) {
			return a
		}
		require.Contains(c.t, []int{http.StatusServiceUnavailable, http.StatusConflict}, a.StatusCode, "%s %s: %s", method, path, a.body)
		<-time.After(10 * time.Millisecond)
	}
}

// link asks for a link's transcript.
func (c *traveller) link(n int, language string) *answer {
	c.t.Helper()
	return c.insist(http.MethodPost, "/v1/transcript", body(c.t, videoOf(n), lang(language), wish{"waitMs", 0}), 200, 202)
}

// upload sends a file.
func (c *traveller) upload(n int) *answer {
	c.t.Helper()
	data, _ := form(c.t, field("waitMs", "0"), file(fmt.Sprint("recording ", n)))
	return c.insist(http.MethodPost, "/v1/transcript", string(data), 202)
}

// job is the job that an answer hands out.
func (c *traveller) job(a *answer) string {
	c.t.Helper()
	return a.object(c.t)["jobId"].(string)
}

// await waits for the end of a job and asks for it then.
func (c *traveller) await(id, status string) {
	c.t.Helper()
	c.until("jobs", id)
	job := c.insist(http.MethodGet, jobPath(id), "", 200).object(c.t)
	require.Equal(c.t, status, job["status"], "%v", job)
}

// until waits for the end of a row.
func (c *traveller) until(table, id string) {
	c.t.Helper()
	running := "SELECT count(*) FROM " + table + " WHERE status IN ('pending', 'processing') AND id = '" + id + "'"
	require.Eventually(c.t, func() bool {
		var n int
		require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(), running).Scan(&n))
		return n == 0
	}, time.Minute, 5*time.Millisecond)
}

// batch makes a batch and returns its id.
func (c *traveller) batch(body string) string {
	c.t.Helper()
	return c.insist(http.MethodPost, "/v1/batch", body, 202).object(c.t)["batch"].(map[string]any)["id"].(string)
}

// batchEnds waits for the end of a batch, of which so many items succeed.
func (c *traveller) batchEnds(id, status string, succeed int) {
	c.t.Helper()
	c.until("batches", id)
	b := c.insist(http.MethodGet, batchPath(id), "", 200).object(c.t)["batch"].(map[string]any)
	require.Equal(c.t, status, b["status"], "%v", b)
	require.EqualValues(c.t, succeed, b["counts"].(map[string]any)["success"], "%v", b)
}
