package e2e_test

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSideBySide is the small form of TestSoakSideBySide.
func TestSideBySide(t *testing.T) {
	full(t)
	t.Parallel()
	sideBySide(t, storetest.Postgres(t), 1, 8)
}

// TestSoakSideBySide lets the last version and this one serve a database under load, while they are
// upgraded and downgraded in turn.
func TestSoakSideBySide(t *testing.T) {
	soak(t)
	storetest.Each(t, func(t *testing.T, o store.Options) { sideBySide(t, o, 4, 100) })
}

// TestSoakMixedVersions is TestSoakMixed with processes of two versions: the last version accepts
// and works beside this version.
func TestSoakMixedVersions(t *testing.T) {
	soak(t)
	m := newMixed(t, installed.LastVersion(t, installed.E2E), "")
	m.warmUp(t)
	m.run(t)
	m.check(t)
	for _, api := range m.apis {
		t.Logf("%d texts", m.readTexts(t, newClient(t, api.url, m.keys["acme"])))
	}
}

// sideBySide changes the version of each process so many times forth and back, and lets at least so
// many jobs begin before each change.
func sideBySide(t *testing.T, o store.Options, times, jobs int) {
	t.Helper()
	old := installed.LastVersion(t, installed.E2E)
	s := newPlace(t, withoutTables(t, o)).offering(t, `"rateLimit": null, "transcriptsPerPeriod": null, "asrMinutesPerPeriod": null, "cacheTtlSec": null`)
	f := &fleet{place: s, versions: []string{"", old}, key: lastKey(t, s.database), addrs: []string{freeAddr(t)}}
	if storetest.IsPostgres(o) { // a SQLite file has one process at a time
		f.addrs = append(f.addrs, freeAddr(t))
	}
	f.start(t)
	over := make(chan struct{})
	var crowd sync.WaitGroup
	for n := range 4 {
		crowd.Go(func() { visit(t, newClient(t, f.url, f.key), n, over) })
	}
	for range times {
		for _, version := range f.versions {
			for n := range f.addrs {
				f.await(t, f.jobs(t)+jobs)
				f.change(t, n, version)
			}
		}
	}
	f.await(t, f.jobs(t)+jobs)
	close(over)
	crowd.Wait()
	f.check(t)
}

// fleet are the processes that serve a database, each of one of two versions.
type fleet struct {
	place
	key      string
	versions []string // the programs
	addrs    []string
	children []*child
	url      string    // where the requests go
	front    *balancer // nil: the requests go to the only process
	rows     beside
	changes  int
}

// start starts processes of the last version.
func (f *fleet) start(t *testing.T) {
	t.Helper()
	f.program = f.versions[1]
	var urls []string
	for _, addr := range f.addrs {
		f.children = append(f.children, f.spawn(t, addr))
		urls = append(urls, "http://"+addr)
	}
	f.rows = beside{storetest.SQL(t, store.Options{Database: f.database})}
	f.url = urls[0]
	if len(urls) > 1 {
		f.front = newBalancer(t, urls...)
		f.url = f.front.URL
		for n := range urls {
			f.ready(t, n)
		}
	}
}

func (f *fleet) ready(t *testing.T, n int) {
	t.Helper()
	if f.front != nil {
		require.Eventually(t, f.front.backends[n].ready.Load, time.Minute, 10*time.Millisecond)
	}
}

// change replaces a process by one of a version.
func (f *fleet) change(t *testing.T, n int, version string) {
	t.Helper()
	require.NoError(t, f.children[n].cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, f.children[n].cmd.Wait(), "it ends in good order")
	f.program = version
	f.children[n] = f.spawn(t, f.addrs[n])
	f.ready(t, n)
	f.changes++
}

func (f *fleet) jobs(t *testing.T) int {
	t.Helper()
	return f.rows.count(t, "SELECT count(*) FROM jobs")
}

// await waits until there are so many jobs.
func (f *fleet) await(t *testing.T, jobs int) {
	t.Helper()
	assert.Eventually(t, func() bool { return f.jobs(t) >= jobs }, 10*time.Minute, 10*time.Millisecond)
}

// check looks at what has become of all jobs, and reads all texts with each version.
func (f *fleet) check(t *testing.T) {
	t.Helper()
	f.rows.await(t, "SELECT count(*) FROM jobs WHERE ended_at IS NULL", 0)
	assert.Zero(t, f.rows.count(t, "SELECT count(*) FROM jobs WHERE status <> 'success'"), "jobs that have not ended well")
	var broken []string
	assert.Eventually(t, func() bool {
		var err error
		broken, err = dbtest.Broken(t.Context(), f.rows.DB, true)
		return err == nil && len(broken) == 0
	}, time.Minute, 50*time.Millisecond)
	assert.Empty(t, broken)
	texts := f.readTexts(t, newClient(t, "http://"+f.addrs[0], f.key))
	f.change(t, 0, f.versions[0])
	assert.Equal(t, texts, f.readTexts(t, newClient(t, "http://"+f.addrs[0], f.key)))
	if f.front != nil {
		assert.Zero(t, f.front.failed.Load(), "a process was gone before it had said so")
		t.Logf("%d requests", f.front.requests.Load())
	}
	t.Logf("%d jobs, %d texts, %d changes of version", f.jobs(t), texts, f.changes)
}

// readTexts reads all texts of the database: a link is its own text, and a recording is what was
// heard.
func (s place) readTexts(t *testing.T, c *client.Client) (texts int) {
	t.Helper()
	rows := beside{storetest.SQL(t, store.Options{Database: s.database})}
	for _, id := range rows.texts(t, "SELECT external_id FROM transcripts WHERE platform = 'video_site'") {
		res, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://youtu.be/" + id)})
		require.NoError(t, err)
		require.True(t, res.Cached, "the text is made again")
		assert.Equal(t, []transcript.Segment{{Text: id, Duration: 1}}, res.Transcript.Segments)
		texts++
	}
	heard := begun(t, s.diary)
	for _, id := range rows.texts(t, "SELECT j.id FROM jobs AS j JOIN extractions AS e ON e.id = j.extraction_id WHERE e.platform = 'upload'") {
		res, err := c.Jobs.Wait(t.Context(), id)
		require.NoError(t, err)
		for _, segment := range res.Transcript.Segments {
			assert.Positive(t, heard[segment.Text], "a text that no recognizer heard")
		}
		texts++
	}
	return texts
}
