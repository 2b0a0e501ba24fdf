package db_test

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

const many = 1_000_000 // a limit that no test reaches

func counted(t *testing.T, s *db.Store, w db.RequestWindow, limit int) db.Requests {
	t.Helper()
	r, err := s.CountRequest(t.Context(), w, limit)
	require.NoError(t, err)
	return r
}

// Each window counts for itself, and no two requests at once have the same count.
func TestCountRequest(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		var windows []db.RequestWindow
		for _, account := range []string{"acme", "globex", `o'"hare`} {
			for _, class := range []db.RequestClass{db.MainRequests, db.PollingRequests} {
				for _, days := range []time.Duration{1000, 1001} {
					windows = append(windows,
						db.RequestWindow{Account: account, Class: class, Length: days * 24 * time.Hour},
						db.RequestWindow{Account: account, Keyless: true, Class: class, Length: days * 24 * time.Hour})
				}
			}
		}
		const requests = 20
		counts := make([][]int, len(windows))
		for i, w := range windows {
			counts[i] = make([]int, requests)
			end := (time.Now().UnixMilli()/w.Length.Milliseconds() + 1) * w.Length.Milliseconds()
			var all sync.WaitGroup
			for n := range requests {
				all.Go(func() {
					r, err := s.CountRequest(t.Context(), w, many)
					assert.NoError(t, err)
					assert.Equal(t, end, r.End.UnixMilli())
					assert.InDelta(t, time.Until(r.End).Seconds(), r.Left.Seconds(), 60)
					counts[i][n] = r.Count
				})
			}
			all.Wait()
		}
		for _, got := range counts {
			slices.Sort(got)
			for i, n := range got {
				require.Equal(t, i+1, n, got)
			}
		}
	})
}

// Two processes count requests of many accounts at once. Neither locks the other out, and
// each request has its own count.
func TestProcessesCountManyAccountsAtOnce(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	processes := []*db.Store{dbtest.Open(t, o), dbtest.Open(t, o)}
	const accounts, each = 100, 20
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[string][]int{}
	for i := range accounts * each {
		w := db.RequestWindow{Account: fmt.Sprint("a", i%accounts), Class: db.MainRequests, Length: 1000 * 24 * time.Hour}
		all.Go(func() {
			r, err := processes[i/accounts%2].CountRequest(t.Context(), w, many)
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			got[w.Account] = append(got[w.Account], r.Count)
		})
	}
	all.Wait()
	require.Len(t, got, accounts)
	for account, counts := range got {
		slices.Sort(counts)
		require.Len(t, counts, each)
		for i, n := range counts {
			require.Equal(t, i+1, n, account)
		}
	}
}

// stopClock gives the database a clock that stands still until it is set anew.
func stopClock(t *testing.T, o *db.Options) (set func(at time.Time)) {
	t.Helper()
	raw := open(t, *o)
	raw.exec(t, `CREATE TABLE clock (at timestamptz)`)
	raw.exec(t, `INSERT INTO clock VALUES (now())`)
	raw.exec(t, `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS 'SELECT at FROM public.clock'`)
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	query := u.Query()
	query.Set("search_path", "public,pg_catalog") // ours comes first
	u.RawQuery = query.Encode()
	o.Database = u.String()
	return func(at time.Time) {
		t.Helper()
		_, err := raw.ExecContext(t.Context(), `UPDATE clock SET at = $1`, at)
		require.NoError(t, err)
	}
}

// noon is when the clock shows that a test has stopped, and some seconds later.
func noon(seconds float64) time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

var minutes = db.RequestWindow{Account: "acme", Class: db.MainRequests, Length: time.Minute}

// The database's clock counts, whatever that of a process shows: a burst over the edge
// of a window falls into two.
func TestRequestsOverTheEdge(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	set := stopClock(t, &o)
	s := dbtest.Open(t, o)
	for i := range 20 {
		set(noon(59.5 + float64(i)/20))
		r := counted(t, s, minutes, many)
		assert.Equal(t, i%10+1, r.Count)
		assert.Equal(t, noon(60*float64(1+i/10)), r.End.UTC())
		assert.InDelta(t, []float64{0.5, 60}[i/10]-float64(i%10)/20, r.Left.Seconds(), 0.001)
	}
}

func TestRequestsWhileTheClockStepsBack(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	set := stopClock(t, &o)
	s := dbtest.Open(t, o)
	for i, step := range []struct {
		back  float64 // seconds, from 20 s into a window
		count int
		end   time.Time
	}{
		{0, 6, noon(60)},
		{19, 6, noon(60)},
		{21, 6, noon(60)}, // into the window before: no second burst
		{80, 6, noon(60)},
		{81, 1, noon(-60)}, // further: nobody waits for hours
		{3600, 1, noon(-3540)},
	} {
		w := minutes
		w.Account = fmt.Sprint(i)
		set(noon(20))
		for range 5 {
			counted(t, s, w, many)
		}
		set(noon(20 - step.back))
		r := counted(t, s, w, many)
		assert.Equal(t, step.count, r.Count, step.back)
		assert.Equal(t, step.end, r.End.UTC(), step.back)
		assert.Equal(t, step.end.Sub(noon(20-step.back)), r.Left, step.back)
		assert.Equal(t, step.count+1, counted(t, s, w, many).Count, "and it goes on there")
		set(noon(80))
		assert.Equal(t, 1, counted(t, s, w, many).Count, "until the next window")
	}
}

// What is over its limit is not asked for again before its window ends, by a process
// that has been told; under a limit that is higher it is.
func TestFullWindowsAreNotCounted(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	set := stopClock(t, &o)
	set(noon(0))
	s, raw := dbtest.Open(t, o), open(t, o)
	requests := func() (n int) {
		require.NoError(t, raw.QueryRowContext(t.Context(), "SELECT requests FROM rate_windows").Scan(&n))
		return n
	}
	for i := range 20 {
		r := counted(t, s, minutes, 5)
		assert.Equal(t, min(i+1, 6), r.Count)
		assert.Equal(t, noon(60), r.End.UTC())
		assert.Greater(t, r.Left, time.Duration(0))
		assert.LessOrEqual(t, r.Left, time.Minute)
	}
	assert.Equal(t, 6, requests())
	assert.Equal(t, 7, counted(t, s, minutes, 10).Count)
	assert.Equal(t, 8, counted(t, dbtest.Open(t, o), minutes, 5).Count, "another process")
	assert.Equal(t, 8, requests())
}

// A second that is full is counted in again when it is over.
func TestFullWindowsEnd(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		w := db.RequestWindow{Account: "acme", Class: db.MainRequests, Length: time.Second}
		first := counted(t, s, w, 0)
		require.Eventually(t, func() bool {
			r := counted(t, s, w, 0)
			assert.GreaterOrEqual(t, r.Left, time.Duration(0))
			return r.End.After(first.End) && r.Count == 1
		}, time.Minute, time.Millisecond)
	})
}

func TestSweepForgetsPastWindows(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	for i := range 500 { // more than are removed at once
		raw.exec(t, fmt.Sprintf(`INSERT INTO rate_windows VALUES ('a%d', 'main', 60, 1795226580, 7)`, i))
	}
	hour := db.RequestWindow{Account: "acme", Class: db.MainRequests, Length: 1000 * time.Hour}
	counted(t, s, hour, many)
	require.NoError(t, dbtest.Sweep(t.Context(), s, 0, 0))
	require.Equal(t, 1, raw.count(t, "rate_windows"))
	require.Equal(t, 2, counted(t, s, hour, many).Count)
}
