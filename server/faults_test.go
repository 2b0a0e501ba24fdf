package server_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// journey is what a caller does, and what becomes of it. It is made again and again, each
// time with contents of its own, which a number names.
type journey struct {
	// prepare does what comes before, undisturbed, and returns what is found later.
	prepare func(c *traveler, n int) string
	// travel asks, and waits for what was asked for.
	travel func(c *traveler, n int, prepared string)
	// pays is what the account has used by it: transcripts and minutes.
	pays [2]int
	// each tells that pays is for each item that succeeds, of the batch that was prepared.
	each bool
	// orFree tells that whoever asks again may be answered from the cache, and not pay.
	orFree bool
}

var journeys = map[string]journey{
	"captions": {
		travel: func(c *traveler, n int, _ string) {
			c.insist(http.MethodGet, "/v1/video_site/captions?videoId="+videoOf(n), "", 200)
		},
		pays:   [2]int{1, 0},
		orFree: true,
	},
	"link with captions": {
		travel: func(c *traveler, n int, _ string) { c.await(c.job(c.link(n, "en")), "success") },
		pays:   [2]int{1, 0},
	},
	"link that is recognized": {
		travel: func(c *traveler, n int, _ string) { c.await(c.job(c.link(n, "asr")), "success") },
		pays:   [2]int{1, 1},
	},
	"upload": {
		travel: func(c *traveler, n int, _ string) { c.await(c.job(c.upload(n)), "success") },
		pays:   [2]int{1, 1},
	},
	"a text that is there": {
		prepare: func(c *traveler, n int) string { c.await(c.job(c.link(n, "en")), "success"); return "" },
		travel:  func(c *traveler, n int, _ string) { c.link(n, "en") },
	},
	"cancel": {
		prepare: func(c *traveler, n int) string {
			c.release = c.Engine.HoldCaptions()
			return c.job(c.link(n, "en"))
		},
		travel: func(c *traveler, _ int, job string) {
			c.insist(http.MethodPost, jobPath(job)+"/cancel", "", 202, 409)
			c.release()
			c.await(job, "cancelled")
		},
	},
	"batch": {
		travel: func(c *traveler, n int, _ string) {
			c.batchEnds(c.batch(ofLinks(videoOf(n, 1), videoOf(n, 2), videoOf(n, 3))), "completed", 3)
		},
		pays: [2]int{3, 0},
	},
	"playlist": {
		travel: func(c *traveler, n int, _ string) {
			c.Engine.SetList(playlistID, videoOf(n, 1), videoOf(n, 2), videoOf(n, 3))
			c.batchEnds(c.batch(`{"playlistId":"`+playlistID+`"}`), "completed", 3)
		},
		pays: [2]int{3, 0},
	},
	"batch retry": {
		prepare: (*traveler).failedBatch,
		travel: func(c *traveler, _ int, id string) {
			c.Engine.FailCaptions(nil)
			var page batchPage
			require.NoError(c.t, json.Unmarshal([]byte(c.insist(http.MethodGet, batchPath(id), "", 200).body), &page))
			asked, _ := json.Marshal(map[string]any{"itemIds": []string{page.Items[0].ID, page.Items[1].ID}})
			retried := c.insist(http.MethodPost, batchPath(id)+"/retry", string(asked), 202).object(c.t)
			require.EqualValues(c.t, 2, retried["retried"], "%v", retried)
			c.batchEnds(id, "completed", 2)
		},
		pays: [2]int{2, 0},
	},
	"batch cancel": { // more of its items have jobs than there are workers: what is made for a skipped one is free
		prepare: func(c *traveler, n int) string {
			c.release = c.Engine.HoldCaptions()
			id := c.batch(ofLinks(videoOf(n, 1), videoOf(n, 2), videoOf(n, 3), videoOf(n, 4), videoOf(n, 5), videoOf(n, 6)))
			c.waitFor("the claims", "SELECT count(*) = 6 FROM batch_items WHERE job_id <> '' AND batch_id = '"+id+"'")
			return id
		},
		travel: func(c *traveler, _ int, id string) {
			c.insist(http.MethodPost, batchPath(id)+"/cancel", "", 202)
			c.release()
			c.waitFor("the end of all items", "SELECT count(*) = 0 FROM batch_items WHERE status = 'pending' AND batch_id = '"+id+"'")
		},
		pays: [2]int{1, 0},
		each: true,
	},
	"batch delete": {
		prepare: (*traveler).failedBatch,
		travel: func(c *traveler, _ int, id string) {
			c.insist(http.MethodDelete, batchPath(id), "", 204, 404)
			c.insist(http.MethodGet, batchPath(id), "", 404)
			c.waitFor("its items to go", "SELECT count(*) = 0 FROM batch_items WHERE batch_id = '"+id+"'")
		},
	},
	"batch export": {
		prepare: func(c *traveler, n int) string {
			id := c.batch(ofLinks(videoOf(n, 1), videoOf(n, 2)))
			c.batchEnds(id, "completed", 2)
			return id
		},
		travel: func(c *traveler, _ int, id string) {
			for range 2 { // of one that was not noted its reader has the file all the same
				a := c.insist(http.MethodGet, exportPath(id, "?format=txt"), "", 200)
				require.Equal(c.t, 2, strings.Count(a.body, "hello"), a.body)
				b := c.insist(http.MethodGet, batchPath(id), "", 200).object(c.t)["batch"].(map[string]any)
				if b["exportRef"] != nil {
					require.Equal(c.t, "exp_"+strings.Trim(a.Header.Get("ETag"), `"`), b["exportRef"])
					return
				}
			}
			require.Fail(c.t, "no export was noted")
		},
	},
	"library delete": {
		prepare: func(c *traveler, n int) string { c.await(c.job(c.link(n, "en")), "success"); return libraryOf(n) },
		travel:  (*traveler).remove,
	},
	"library delete of an upload": {
		prepare: func(c *traveler, n int) string {
			c.await(c.job(c.upload(n)), "success")
			var id string
			require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(),
				"SELECT external_id FROM library_rows WHERE platform = 'upload'").Scan(&id), "what was uploaded before is gone")
			return "/v1/library/transcripts/upload/" + id
		},
		travel: func(c *traveler, n int, path string) {
			c.remove(n, path)
			c.waitFor("its text to go", "SELECT count(*) = 0 FROM transcripts WHERE platform = 'upload'")
		},
	},
	"library delete of what is being made": { // which is paid for, but not saved
		prepare: func(c *traveler, n int) string {
			c.release = c.Engine.HoldCaptions()
			c.link(n, "en")
			return libraryOf(n)
		},
		travel: func(c *traveler, n int, path string) {
			c.remove(n, path)
			c.release()
			c.waitFor("the end of the job", "SELECT count(*) = 0 FROM jobs WHERE status IN ('pending', 'processing')")
			c.insist(http.MethodGet, path, "", 404)
		},
		pays: [2]int{1, 0},
	},
	"star": {
		prepare: func(c *traveler, n int) string { c.await(c.job(c.link(n, "en")), "success"); return libraryOf(n) },
		travel: func(c *traveler, n int, path string) {
			c.insist(http.MethodPut, path+"/star", "", 204)
			c.waitFor("a star", "SELECT count(*) = 1 FROM library_rows WHERE starred AND external_id = '"+videoOf(n)+"'")
		},
	},
}

// libraryOf is the path of a link's saved transcript.
func libraryOf(n int) string { return "/v1/library/transcripts/video_site/" + videoOf(n) }

// remove takes what a path names out of the library.
func (c *traveler) remove(_ int, path string) {
	c.t.Helper()
	c.insist(http.MethodDelete, path, "", 204, 404)
	c.insist(http.MethodGet, path, "", 404)
}

// failedBatch makes a batch of which all items fail.
func (c *traveler) failedBatch(n int) string {
	c.t.Helper()
	c.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	defer c.Engine.FailCaptions(nil)
	id := c.batch(ofLinks(videoOf(n, 1), videoOf(n, 2)))
	c.batchEnds(id, "failed", 0)
	return id
}

func videoOf(n ...int) string {
	return fmt.Sprintf("j%05d-%04d", n[0], append(n, 0)[1])
}

// TestFaults lets single statements fail in the midst of journeys: refused by a full disk,
// cut off on their way, or their answers lost. The caller who insists has in the end
// exactly what an undisturbed one has, and pays as much; all work ends by itself; and
// the tables keep all laws. Here two statements of each journey fail, with -short one, chosen by the
// clock; make soak takes all.
func TestFaults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		sweepFaults(t, 1)
		return
	}
	sweepFaults(t, 2)
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
	var swept atomic.Int64
	t.Cleanup(func() { t.Logf("%d points in all", swept.Load()) })
	for name, j := range journeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				swept.Add(int64(newTraveller(t, o).sweep(j, most)))
			})
		})
	}
}

// traveler is whoever goes on a journey.
type traveler struct {
	*service
	t      *testing.T
	faults *dbtest.Faults
	tables *sql.DB // by a way on which no statement fails
	trips  int
	asked  int
	// release lets held work go on.
	release func()
}

func newTraveller(t *testing.T, o store.Options) *traveler {
	t.Helper()
	faults, behind := dbtest.Faulty(t, db.Options(o))
	c := &traveler{t: t, faults: faults, tables: storetest.SQL(t, o)}
	c.service = start(t, func(cfg *server.Config) {
		cfg.Store = new(store.Store)
		db.Hold(cfg.Store, behind)
		offer(cfg, account.Plans{Default: "all", ByName: map[string]account.Plan{"all": account.WithoutLimits("all")}})
	})
	c.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	return c
}

// sweep makes a journey undisturbed, to count its statements, and then lets the statements
// fail one after the other, or some of them. It returns how often one did.
func (c *traveler) sweep(j journey, most int) int {
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
	return len(points)
}

// travel makes the journey once, with one statement failing, and looks at what it has
// left. It returns how many statements were made.
func (c *traveler) travel(j journey, at int, as dbtest.Fault) int {
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
	pays, times := j.pays, 1
	if j.each {
		times = c.count("SELECT count(*) FROM batch_items WHERE status = 'success' AND batch_id = '" + prepared + "'")
	}
	if !j.orFree || at == 0 || paid != [2]int{} {
		require.Equal(c.t, [2]int{times * pays[0], times * pays[1]}, paid, what)
	}
	return len(statements)
}

// ends waits until all work has ended and all laws hold.
func (c *traveler) ends(what string) {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute) // a request that was lost holds its key for one
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/4) {
		broken, err := dbtest.Broken(c.t.Context(), c.tables, true)
		if err == nil && len(broken) == 0 {
			return
		}
		if time.Now().After(deadline) {
			require.NoError(c.t, err, what)
			require.Empty(c.t, broken, what)
		}
		<-time.After(pause) // a fault takes seconds to pass, and the laws are many questions
	}
}

// used are the transcripts and minutes that were paid so far.
func (c *traveler) used() (used [2]int) {
	c.t.Helper()
	require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(),
		"SELECT coalesce(sum(used_transcripts), 0), coalesce(sum(used_minutes), 0) FROM usage").Scan(&used[0], &used[1]))
	return used
}

// insist asks until it is answered with one of the statuses. Until then it may hear that
// the service cannot answer for the moment, or that its first request is not done yet.
func (c *traveler) insist(method, path, body string, ok ...int) *answer {
	c.t.Helper()
	c.asked++
	kind, key := "application/json", fmt.Sprint("key-", c.asked)
	if strings.HasPrefix(body, "--") {
		kind = "multipart/form-data; boundary=" + strings.TrimSpace(body[2:strings.Index(body, "\r\n")])
	}
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/4) {
		a := c.do(c.t, method, path, io.Reader(bytes.NewReader([]byte(body))), func(r *http.Request) {
			if method == http.MethodPost {
				r.Header.Set("Content-Type", kind)
				r.Header.Set("Idempotency-Key", key)
			}
		})
		underWay := strings.Contains(a.body, "IDEMPOTENCY_IN_PROGRESS") // a fault may keep the key from being given back at once
		if slices.Contains(ok, a.StatusCode) && !underWay {
			return a
		}
		require.Contains(c.t, []int{http.StatusServiceUnavailable, http.StatusConflict}, a.StatusCode, "%s %s: %s", method, path, a.body)
		<-time.After(pause)
	}
}

// link asks for a link's transcript.
func (c *traveler) link(n int, language string) *answer {
	c.t.Helper()
	return c.insist(http.MethodPost, "/v1/transcript", body(c.t, videoOf(n), lang(language), wish{"waitMs", 0}), 200, 202)
}

// upload sends a file.
func (c *traveler) upload(n int) *answer {
	c.t.Helper()
	data, _ := form(c.t, field("waitMs", "0"), file(fmt.Sprint("recording ", n)))
	return c.insist(http.MethodPost, "/v1/transcript", string(data), 202)
}

// job is the job that an answer hands out.
func (c *traveler) job(a *answer) string {
	c.t.Helper()
	return a.object(c.t)["jobId"].(string)
}

// await waits for the end of a job and asks for it then.
func (c *traveler) await(id, status string) {
	c.t.Helper()
	c.until("jobs", id)
	job := c.insist(http.MethodGet, jobPath(id), "", 200).object(c.t)
	require.Equal(c.t, status, job["status"], "%v", job)
}

// until waits for the end of a row.
func (c *traveler) until(table, id string) {
	c.t.Helper()
	c.waitFor("the end of "+id, "SELECT count(*) = 0 FROM "+table+" WHERE status IN ('pending', 'processing') AND id = '"+id+"'")
}

// waitFor waits until a question about the tables is answered with yes.
func (c *traveler) waitFor(what, question string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		var yes bool
		require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(), question).Scan(&yes))
		return yes
	}, time.Minute, 20*time.Millisecond, what)
}

// count is a number of rows.
func (c *traveler) count(question string) (n int) {
	c.t.Helper()
	require.NoError(c.t, c.tables.QueryRowContext(c.t.Context(), question).Scan(&n))
	return n
}

// batch makes a batch and returns its id.
func (c *traveler) batch(body string) string {
	c.t.Helper()
	return c.insist(http.MethodPost, "/v1/batch", body, 202).object(c.t)["batch"].(map[string]any)["id"].(string)
}

// batchEnds waits for the end of a batch, of which so many items succeed.
func (c *traveler) batchEnds(id, status string, succeed int) {
	c.t.Helper()
	c.until("batches", id)
	b := c.insist(http.MethodGet, batchPath(id), "", 200).object(c.t)["batch"].(map[string]any)
	require.Equal(c.t, status, b["status"], "%v", b)
	require.EqualValues(c.t, succeed, b["counts"].(map[string]any)["success"], "%v", b)
}
