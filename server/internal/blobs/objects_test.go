package blobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/outage"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// The parts of S3's protocol that tests disturb.
func isPart(r *http.Request) bool {
	return r.Method == http.MethodPut && r.URL.Query().Has("partNumber")
}

func isCompletion(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}

func isObject(method string) func(r *http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == method && strings.Contains(r.URL.Path, "/uploads/") && r.URL.Query().Get("uploadId") == ""
	}
}

func hangUp(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

func refuse(status int, code string) answer {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // the caller may be writing still
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>No.</Message></Error>", code) // its caller may be gone
	}
}

// cutAnswer lets the server do what it was asked for, and loses the answer.
func cutAnswer(_ http.ResponseWriter, r *http.Request, server http.Handler) {
	server.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// halfAnswer breaks off in the middle of the body.
func halfAnswer(w http.ResponseWriter, r *http.Request, server http.Handler) {
	full := httptest.NewRecorder()
	server.ServeHTTP(full, r)
	for name, values := range full.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(full.Code)
	_, _ = w.Write(full.Body.Bytes()[:full.Body.Len()/2]) // breaks off anyway
	panic(http.ErrAbortHandler)
}

// halfRequest breaks off in the middle of what is sent.
func halfRequest(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2) // breaks off anyway
	panic(http.ErrAbortHandler)
}

// silence takes the request and says nothing.
func silence(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // the server notices only then that the caller goes
	<-r.Context().Done()
}

type answer func(w http.ResponseWriter, r *http.Request, server http.Handler)

// fault disturbs the requests that are such, as long as it is on, or times many.
type fault struct {
	such  func(*http.Request) bool
	times int // 0: all
	as    answer
}

// TestFaultsOfAnObjectStore: an upload is there as a whole, or it is ErrUnavailable
// and nothing stays behind.
func TestFaultsOfAnObjectStore(t *testing.T) {
	t.Parallel()
	const small, large = 1 << 20, 40 << 20
	for name, c := range map[string]struct {
		size  int64
		fault fault
		kept  bool
	}{
		"slow down, once":              {large, fault{isPart, 2, refuse(503, "SlowDown")}, true},
		"slow down, for ever":          {large, fault{isPart, 0, refuse(503, "SlowDown")}, false},
		"slow down, small":             {small, fault{isObject(http.MethodPut), 0, refuse(503, "SlowDown")}, false},
		"full":                         {large, fault{isPart, 0, refuse(507, "InsufficientStorage")}, false},
		"quota":                        {small, fault{isObject(http.MethodPut), 0, refuse(403, "QuotaExceeded")}, false},
		"full at the end":              {large, fault{isCompletion, 0, refuse(507, "InsufficientStorage")}, false},
		"cut in a part, once":          {large, fault{isPart, 1, halfRequest}, true},
		"cut in every part":            {large, fault{isPart, 0, halfRequest}, false},
		"the answer to a part is lost": {large, fault{isPart, 1, cutAnswer}, true},
		"the answer at the end":        {large, fault{isCompletion, 0, cutAnswer}, false},
		"the answer to all":            {small, fault{isObject(http.MethodPut), 1, cutAnswer}, true},
		"it cannot be proven":          {small, fault{isObject(http.MethodHead), 1, lie}, false},
		"hangs up":                     {large, fault{isPart, 0, hangUp}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := storetest.NewBucket(t)
			s := openBlobs(t, disturbed(t, b, c.fault))
			put, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error {
				_, err := io.CopyN(w, zeros{}, c.size)
				return err
			})
			if !c.kept {
				require.ErrorIs(t, err, outage.ErrUnavailable)
				require.Empty(t, b.Left(t))
				return
			}
			require.NoError(t, err)
			got, err := s.Read(t.Context(), put.Key, io.Discard)
			require.NoError(t, err)
			require.Equal(t, put, got)
			require.Equal(t, []string{"uploads/a"}, b.Left(t))
		})
	}
}

// disturbed is the URL of a bucket behind a fault.
func disturbed(t *testing.T, b *storetest.Bucket, f fault) string {
	var times atomic.Int64
	return b.Through(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if f.such(r) && (f.times == 0 || times.Add(1) <= int64(f.times)) {
			f.as(w, r, server)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// lie says that the object is shorter than it is.
func lie(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Length", "17")
	w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	w.WriteHeader(http.StatusOK)
}

// TestReadingFromAFaultyObjectStore: what comes is right, or it is an error that
// passes.
func TestReadingFromAFaultyObjectStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault answer
		want  error
	}{
		"cut":       {halfAnswer, outage.ErrUnavailable},
		"slow down": {refuse(503, "SlowDown"), outage.ErrUnavailable},
		"denied":    {refuse(403, "AccessDenied"), outage.ErrUnavailable},
		"gone":      {refuse(404, "NoSuchKey"), blobs.ErrNotFound},
		"silent":    {silence, outage.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, disturbed(t, storetest.NewBucket(t), fault{isObject(http.MethodGet), 0, c.fault}))
			s.SetPatience(2 * time.Second)
			_, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 1<<20); return err })
			require.NoError(t, err)
			_, err = s.Read(t.Context(), "uploads/a", io.Discard)
			require.ErrorIs(t, err, c.want)
		})
	}
}

// TestNoPlaceForBlobs: a bucket or a folder that is gone comes back, unlike a blob.
func TestNoPlaceForBlobs(t *testing.T) {
	t.Parallel()
	bucket := storetest.NewBucket(t)
	folder := filepath.Join(t.TempDir(), "blobs")
	for name, c := range map[string]struct {
		place  string
		vanish func() (back func())
	}{
		"bucket": {bucket.URL, func() func() { return bucket.Vanish(t) }},
		"folder": {folder, func() func() {
			require.NoError(t, os.Rename(folder, folder+"-away"))
			return func() { require.NoError(t, os.Rename(folder+"-away", folder)) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := openBlobs(t, c.place)
			put, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 1<<10); return err })
			require.NoError(t, err)
			back := c.vanish()
			_, err = s.Put(t.Context(), "uploads/b", func(w io.Writer) error { return nil })
			require.ErrorIs(t, err, outage.ErrUnavailable)
			_, err = s.Read(t.Context(), "uploads/a", io.Discard)
			require.ErrorIs(t, err, outage.ErrUnavailable)
			require.NotErrorIs(t, err, blobs.ErrNotFound)
			require.ErrorIs(t, s.Delete(t.Context(), "uploads/a"), outage.ErrUnavailable)
			_, err = s.Keys(t.Context(), "uploads/")
			require.ErrorIs(t, err, outage.ErrUnavailable)
			back()
			got, err := s.Read(t.Context(), "uploads/a", io.Discard)
			require.NoError(t, err)
			require.Equal(t, put, got)
			require.NoError(t, s.Delete(t.Context(), "uploads/a"))
			_, err = s.Read(t.Context(), "uploads/a", io.Discard)
			require.ErrorIs(t, err, blobs.ErrNotFound)
			require.NoError(t, s.Delete(t.Context(), "uploads/a"))
		})
	}
}

// TestAStalledObjectStore: nothing waits for ever, and a caller who is slow is not
// taken for a store that is.
func TestAStalledObjectStore(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(*http.Request) bool{
		"part": isPart, "end": isCompletion, "proof": isObject(http.MethodHead),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBlobs(t, disturbed(t, storetest.NewBucket(t), fault{f, 0, silence}))
			s.SetPatience(time.Second)
			_, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 40<<20); return err })
			require.ErrorIs(t, err, outage.ErrUnavailable)
		})
	}
	t.Run("slow caller", func(t *testing.T) {
		t.Parallel()
		s := openBlobs(t, storetest.S3(t))
		s.SetPatience(2 * time.Second) // in which the store answers on a busy machine, too
		_, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error {
			_, err := w.Write([]byte("x"))
			<-time.After(3 * time.Second)
			_, again := w.Write([]byte("x"))
			return errors.Join(err, again)
		})
		require.NoError(t, err)
	})
	t.Run("the caller goes", func(t *testing.T) {
		t.Parallel()
		s := openBlobs(t, disturbed(t, storetest.NewBucket(t), fault{isPart, 0, silence}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Put(ctx, "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 80<<20); return err })
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestSlowObjectStore: bytes that trickle are bytes all the same.
func TestSlowObjectStore(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	s := openBlobs(t, disturbed(t, b, fault{isObject(http.MethodGet), 0, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		full := httptest.NewRecorder()
		server.ServeHTTP(full, r)
		for name, values := range full.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(full.Code)
		for body := full.Body; body.Len() > 0; {
			_, _ = w.Write(body.Next(200)) // its caller may be gone
			w.(http.Flusher).Flush()
			<-time.After(100 * time.Millisecond)
		}
	}}))
	s.SetPatience(2 * time.Second)
	put, err := s.Put(t.Context(), "uploads/a", func(w io.Writer) error { _, err := io.CopyN(w, zeros{}, 6000); return err })
	require.NoError(t, err)
	got, err := s.Read(t.Context(), "uploads/a", io.Discard) // three seconds, with a patience of two
	require.NoError(t, err)
	require.Equal(t, put, got)
}

// TestBucketThatCannotBeUsed is found when the store is opened. No error repeats
// what may be a password.
func TestBucketThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	onlyRead := fault{func(r *http.Request) bool { return r.Method == http.MethodPut }, 0, refuse(403, "AccessDenied")}
	for place, want := range map[string]string{
		strings.Replace(b.URL, b.Name, "no-such-bucket", 1):     "the blobs at s3://no-such-bucket cannot be written and read",
		disturbed(t, b, onlyRead):                               "the blobs at s3://" + b.Name + " cannot be written and read",
		strings.Replace(b.URL, "s3://", "s3://key:hunter2@", 1): "without credentials",
		b.URL + "&secret_key=hunter2":                           "s3://" + b.Name + `: unknown query parameter "secret_key"`,
		"nothing://hunter2.example?key=hunter2":                 "nothing://hunter2.example: want s3://BUCKET",
		"://hunter2":                                            "without credentials",
	} {
		_, err := blobs.Open(t.Context(), blobs.Options{Place: place, OpenBucket: s3store.Open})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, strings.ReplaceAll(err.Error(), "hunter2.example", ""), "hunter2", want)
	}
	assert.Empty(t, b.Left(t))
}

// TestManyBlobsOfAnObjectStore lists more blobs than a page has, and removes the old ones
// on the way.
func TestManyBlobsOfAnObjectStore(t *testing.T) {
	t.Parallel()
	b := storetest.NewBucket(t)
	s := openBlobs(t, b.URL)
	const litter = 1100 // more than one page
	for n := range litter {
		key := fmt.Sprintf("audio/%04d", n)
		b.Plant(t, key)
		b.Age(t, key, time.Now().Add(-25*time.Hour))
	}
	b.Plant(t, "audio/young")
	keys, err := s.Keys(t.Context(), "audio/")
	require.NoError(t, err)
	require.Len(t, keys, litter+1)
	require.NoError(t, s.Each(t.Context(), "audio/", func(listed blobs.Listed) error {
		if time.Since(listed.ChangedAt) < 24*time.Hour {
			return nil
		}
		return s.Delete(t.Context(), listed.Key)
	}))
	require.Equal(t, []string{"audio/young"}, b.Left(t))
}
