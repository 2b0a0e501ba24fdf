package server_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// isAway asserts that an answer says that a part of the service is away, and that the upload
// waits.
func (a *answer) isAway(t *testing.T) {
	t.Helper()
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"])
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	assert.NotEqual(t, "?1", a.Header.Get(resumable.Complete))
}

// While the object store is away, an upload stands still. Afterwards it goes on.
func TestUploadWaitsForTheObjectStore(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	var away atomic.Bool
	s := startWithBlobs(t, b.Through(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if !away.Load() {
			server.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the caller may be writing still
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code></Error>") // its caller may be gone
	}))
	path := s.begin(t, "the ")
	away.Store(true)
	s.appendTo(t, path, 4, "whole file", true).isAway(t)
	assert.Equal(t, "4", s.offsetOf(t, path))
	away.Store(false)
	s.appendTo(t, path, 4, "whole file", true).isTextOf(t, "the whole file")
	require.Eventually(t, func() bool { return len(b.Left(t)) == 0 }, time.Minute, 5*time.Millisecond)
}

// An upload keeps what had room on a full disk, and goes on when there is room.
func TestUploadWaitsForRoom(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 16<<20, func(t *testing.T, dir string) {
		s := startIn(t, storetest.SQLite(t), dir, func(c *server.Config) { c.Limits.MinFreeDisk = 1 })
		file := string(bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16))
		path := s.begin(t, "")
		some := filepath.Join(dir, "some")
		require.NoError(t, os.WriteFile(some, make([]byte, 3<<19), 0o600))
		free := nstest.Fill(t, dir)
		require.NoError(t, os.Remove(some))

		s.appendTo(t, path, 0, file, true, ofUnknownLength).isAway(t)
		assert.Equal(t, strconv.Itoa(1<<20), s.offsetOf(t, path), "one part had room")
		s.appendTo(t, path, 1<<20, file[1<<20:], true).isAway(t)
		free()
		s.appendTo(t, path, 1<<20, file[1<<20:], true).isTextOf(t, file)
		s.nothingLeft(t)
	})
}

// While the database is away, an upload stands still. The offset speaks of nothing that is not
// there.
func TestUploadWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	line, o := storetest.Behind(t, storetest.Postgres(t))
	s := startIn(t, o, t.TempDir())
	path := s.begin(t, "the ")
	_, cut, ended := s.sendSlowly(t, http.MethodPatch, path, "whole ", header("Content-Type", resumable.Partial), header(resumable.Offset, "4"), complete(true))
	s.stored(t, 10)
	line.Cut()
	cut()
	<-ended
	require.Eventually(t, func() bool { return s.do(t, http.MethodHead, path, nil).StatusCode == http.StatusServiceUnavailable }, time.Minute, 50*time.Millisecond)
	line.Mend()
	var offset string
	require.Eventually(t, func() bool {
		a := s.do(t, http.MethodHead, path, nil)
		offset = a.Header.Get(resumable.Offset)
		return a.StatusCode == http.StatusNoContent
	}, time.Minute, 50*time.Millisecond)
	require.Contains(t, []string{"4", "10"}, offset) // the part may have been recorded before the line was cut
	at, err := strconv.Atoi(offset)
	require.NoError(t, err)
	s.appendTo(t, path, at, "the whole file"[at:], true).isTextOf(t, "the whole file")
}

// One process begins an upload, and another goes on, on one database and one bucket. The request
// of the first process, which the other does not know, can store nothing any more.
func TestUploadGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	bucket := storetest.NewBucket(t)
	o.Blobs = bucket.Through(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) { server.ServeHTTP(w, r) })
	o.OpenBucket = s3store.Open
	first, second := startIn(t, o, t.TempDir()), startIn(t, o, t.TempDir())
	second.Key = first.Key
	path := first.begin(t, "the ")
	body, sender := io.Pipe()
	answered := make(chan *answer, 1)
	go func() {
		a, err := first.send(t, http.MethodPatch, path, body, header("Content-Type", resumable.Partial), header(resumable.Offset, "4"), complete(true))
		assert.NoError(t, err)
		answered <- a
	}()
	_, err := io.WriteString(sender, "old words that no other process knows of")
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the first process has taken the upload: a wrong offset would be its turn before
		return storetest.Count(t, o, "uploads WHERE turn > 1") == 1
	}, time.Minute, 5*time.Millisecond)

	assert.Equal(t, "4", second.offsetOf(t, path))
	a := second.appendTo(t, path, 4, "whole ", false)
	require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
	require.NoError(t, sender.Close())
	a = <-answered
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	assert.Len(t, bucket.Left(t), 2, "the part of the first process is removed")
	first.appendTo(t, path, 10, "file", true).isTextOf(t, "the whole file")
	require.Eventually(t, func() bool { return len(bucket.Left(t)) == 0 }, time.Minute, 5*time.Millisecond)
}
