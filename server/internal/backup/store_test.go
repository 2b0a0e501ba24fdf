package backup_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// answers is how an object store answers a request.
type answers = func(w http.ResponseWriter, r *http.Request, server http.Handler)

// ofUploads lets a fault happen to the requests of a method for the objects of uploads.
func ofUploads(method string, fault answers) answers {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == method && strings.Contains(r.URL.Path, "/"+db.UploadPrefix) {
			fault(w, r, server)
			return
		}
		server.ServeHTTP(w, r)
	}
}

func overloaded(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

// breaksOff sends half of an object, and cuts the connection.
func breaksOff(w http.ResponseWriter, r *http.Request, server http.Handler) {
	whole := httptest.NewRecorder()
	server.ServeHTTP(whole, r)
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(whole.Code)
	_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2]) // the rest is lost
	panic(http.ErrAbortHandler)
}

// says lets the answer to HEAD promise other bytes than GET sends.
func says(difference int) answers {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		whole := httptest.NewRecorder()
		server.ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		size, _ := strconv.Atoi(whole.Header().Get("Content-Length")) // of an object
		w.Header().Set("Content-Length", strconv.Itoa(size+difference))
		w.WriteHeader(whole.Code)
	}
}

// A store that fails in the middle of an object, or gives another object than it has promised, fails
// the backup: nothing is left of it, and no hold. A store that recovers within some seconds does not.
func TestBackupFromAFailingStore(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	bucket := storetest.NewBucket(t)
	o.Blobs, o.OpenBucket = bucket.URL, s3store.Open
	s := open(t, o)
	s.recording(strings.Repeat("a recording", 10_000))
	s.upload("one", "two")
	faults := map[string]struct {
		fault answers
		want  string // of the error; "": none
	}{
		"overloaded":        {ofUploads(http.MethodGet, overloaded), "uploads/"},
		"overloaded at all": {ofUploads(http.MethodHead, overloaded), "uploads/"},
		"overloaded once":   {ofUploads(http.MethodGet, once(overloaded)), ""},
		"breaks off":        {ofUploads(http.MethodGet, breaksOff), "read blob uploads/"},
		"too short":         {ofUploads(http.MethodHead, says(+1)), "bytes instead of "},
		"too long":          {ofUploads(http.MethodHead, says(-1)), " has more than the "},
	}
	t.Run("all", func(t *testing.T) {
		for what, c := range faults {
			t.Run(what, func(t *testing.T) { backUpBehind(t, o, bucket.Through(t, c.fault), c.want) })
		}
	})
	assert.Zero(t, storetest.Count(t, store.Options(o), "blob_holds"))
}

// backUpBehind backs up a service whose objects are behind a fault; want is what the error says, ""
// if there is none.
func backUpBehind(t *testing.T, o db.Options, place, want string) {
	t.Parallel()
	o.Blobs = place
	s := open(t, o)
	for _, name := range []string{"b.tar", "folder"} {
		dir := t.TempDir()
		_, err := backup.Take(t.Context(), s.Store, filepath.Join(dir, name))
		if want != "" {
			require.ErrorContains(t, err, want)
			requireFiles(t, dir, 0)
			continue
		}
		require.NoError(t, err)
		_, err = backup.Open(t.Context(), filepath.Join(dir, name))
		require.NoError(t, err)
	}
}

// once lets a fault happen to the first request only.
func once(fault answers) answers {
	var before atomic.Bool
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if before.CompareAndSwap(false, true) {
			fault(w, r, server)
			return
		}
		server.ServeHTTP(w, r)
	}
}

// A store that stops taking objects leaves a restore as empty as before.
func TestRestoreToAFailingStore(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	o.Blobs, o.OpenBucket = storetest.S3(t), s3store.Open
	s := open(t, o)
	s.recording("a recording")
	s.recording("another recording")
	archive := filepath.Join(t.TempDir(), "b.tar")
	s.take(archive)
	bucket := storetest.NewBucket(t)
	place := emptyPlace(t, o)
	var taken atomic.Int32
	place.Blobs = bucket.Through(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/uploads/") && taken.Add(1) > 1 {
			overloaded(w, r, server)
			return
		}
		server.ServeHTTP(w, r)
	})
	_, err := backup.Restore(t.Context(), place, archive)
	require.ErrorContains(t, err, "uploads/")
	place.Blobs = bucket.URL
	requireEmpty(t, place)
	_, err = backup.Restore(t.Context(), place, archive)
	require.NoError(t, err)
	assert.Empty(t, open(t, place).faults())
}
