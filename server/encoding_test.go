package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// asGzip asks for gzip, and returns the answer as it was sent.
func (s *service) asGzip(t *testing.T, method, path, body string, changes ...change) *answer {
	t.Helper()
	raw := *s
	raw.http = &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	changes = append([]change{header("Accept-Encoding", "gzip"), header("Content-Type", "application/json")}, changes...)
	return raw.do(t, method, path, strings.NewReader(body), changes...)
}

// unzipped is the text of one gzip member, with nothing behind it.
func unzipped(t *testing.T, b string) string {
	t.Helper()
	in := strings.NewReader(b)
	r, err := gzip.NewReader(in)
	require.NoError(t, err)
	r.Multistream(false)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Zero(t, in.Len())
	return string(text)
}

// Whatever holds a transcript is sent as gzip to who takes that, and says the same.
func TestTranscriptsAsGzip(t *testing.T) {
	t.Parallel()
	s := start(t)
	post := `{"url": "` + video + `", "waitMs": 10000}`
	require.Equal(t, http.StatusOK, s.postJSON(t, post).StatusCode)
	job := jobPath(s.job(t, "a file"))
	s.ended(t, strings.TrimPrefix(job, jobPath("")))
	paths := []string{job, savedVideo, savedVideo + "?include=words", "/v1/video_site/captions?videoId=" + video}
	for _, format := range []string{"txt", "srt", "vtt", "json", "md"} {
		paths = append(paths, savedVideo+"/download?format="+format)
	}
	plain, zipped := s.postJSON(t, post), s.asGzip(t, http.MethodPost, "/v1/transcript", post)
	assert.Equal(t, plain.body, unzipped(t, zipped.body))
	for range 2 { // what is made is made once
		for _, path := range paths {
			plain, zipped := s.get(t, path), s.asGzip(t, http.MethodGet, path, "")
			require.Equal(t, http.StatusOK, zipped.StatusCode, path)
			assert.Equal(t, "gzip", zipped.Header.Get("Content-Encoding"), path)
			assert.Equal(t, plain.body, unzipped(t, zipped.body), path)
			assert.Equal(t, int64(len(zipped.body)), zipped.ContentLength, path)
			assert.Equal(t, plain.Header.Get("Content-Type"), zipped.Header.Get("Content-Type"), path)
			assert.Equal(t, []string{"Authorization, X-API-Key, Accept-Encoding"}, zipped.Header["Vary"], path)
			etag := plain.Header.Get("ETag")
			if etag == "" { // captions have none
				continue
			}
			gz := zipped.Header.Get("ETag")
			assert.Equal(t, strings.TrimSuffix(etag, `"`)+`-gz"`, gz, path)
			for _, known := range []string{etag, gz} {
				same := s.asGzip(t, http.MethodGet, path, "", header("If-None-Match", `"other", `+known), header("X-Request-Id", "mine"))
				assert.Equal(t, http.StatusNotModified, same.StatusCode, path)
				assert.Empty(t, same.body)
				assert.Equal(t, known, same.Header.Get("ETag"), path)
				for name, want := range map[string]string{"Cache-Control": "private, no-cache", "X-Request-Id": "mine", "Vary": zipped.Header.Get("Vary")} {
					assert.Equal(t, want, same.Header.Get(name), path)
				}
				assert.NotEmpty(t, same.Header.Get("X-RateLimit-Remaining"), path)
				assert.Empty(t, same.Header.Get("Content-Encoding"), path)
			}
			head := s.asGzip(t, http.MethodHead, path, "")
			assert.Equal(t, gz, head.Header.Get("ETag"), path)
			assert.Equal(t, zipped.ContentLength, head.ContentLength, path)
		}
	}
}

// Of other answers the large ones in JSON are packed, and no event stream.
func TestOtherAnswersAsGzip(t *testing.T) {
	t.Parallel()
	s := start(t)
	document := s.asGzip(t, http.MethodGet, "/docs/openapi.json", "")
	assert.Equal(t, "gzip", document.Header.Get("Content-Encoding"))
	plain := s.get(t, "/docs/openapi.json")
	assert.Equal(t, plain.body, unzipped(t, document.body))
	assert.Equal(t, strings.TrimSuffix(plain.Header.Get("ETag"), `"`)+`-gz"`, document.Header.Get("ETag"))
	assert.Len(t, document.Header["Vary"], 1)
	for _, path := range []string{"/healthz", "/nowhere", "/v1/usage"} {
		a := s.asGzip(t, http.MethodGet, path, "")
		assert.Empty(t, a.Header.Get("Content-Encoding"), path)
		assert.True(t, strings.HasPrefix(a.body, "{"), path)
	}
	id := s.job(t, "a file")
	s.ended(t, id)
	events := s.asGzip(t, http.MethodGet, jobPath(id)+"/events", "")
	assert.Empty(t, events.Header.Get("Content-Encoding"))
	assert.Contains(t, events.body, "event: job.completed\n")
}

func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	for accepts, takes := range map[string]bool{
		"gzip": true, "GZip": true, "x-gzip": true, "deflate, gzip;q=0.5, br": true, "*": true, "*;q=0.1": true, "gzip ; q=1.000": true,
		"identity;q=0, *": true, "identity;q=0, gzip;q=0.001": true, "gzip;q=1, identity;q=1": true, "br, *;q=0, gzip": true,
		"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip;q=0.0, *": false, "*;q=0": false, "identity;q=0": false,
		"gzip;q=0.5, identity": false, "gzip;q=x": false, "gzip;q=2": false, "gzip;q=-1": false, "gzip;q=NaN": false, "notgzip": false,
	} {
		for _, path := range []string{savedVideo, "/docs/openapi.json"} {
			a := s.asGzip(t, http.MethodGet, path, "", func(r *http.Request) { r.Header.Set("Accept-Encoding", accepts) })
			assert.Equal(t, takes, a.Header.Get("Content-Encoding") == "gzip", "%s: %q", path, accepts)
			assert.Equal(t, !takes, strings.HasPrefix(a.body, "{"), "%s: %q", path, accepts)
		}
	}
	two := s.asGzip(t, http.MethodGet, savedVideo, "", func(r *http.Request) { r.Header["Accept-Encoding"] = []string{"br", "gzip"} })
	assert.Equal(t, "gzip", two.Header.Get("Content-Encoding"), "on lines of its own")
}

// curl reads one member and no more.
func TestGzipForCurl(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	s := start(t)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	for _, path := range []string{savedVideo, savedVideo + "/download?format=srt", "/docs/openapi.json"} {
		headers := filepath.Join(t.TempDir(), "headers")
		out, err := exec.CommandContext(t.Context(), curl, "-sS", "--fail", "--compressed", "-D", headers, "-H", "Authorization: Bearer "+s.Key, s.URL+path).Output()
		require.NoError(t, err)
		sent, err := os.ReadFile(headers)
		require.NoError(t, err)
		assert.Contains(t, string(sent), "Content-Encoding: gzip")
		assert.Equal(t, s.get(t, path).body, string(out))
	}
}

// What is remembered of a text is never read by whom the database would not show it, and
// not after it has changed.
func TestNothingStaleIsRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	post := `{"url": "` + video + `", "waitMs": 10000}`
	require.Equal(t, http.StatusOK, s.postJSON(t, post).StatusCode)
	stranger := as(s.NewKey(t, "globex"))
	var at transcript.Time
	store := func(text string) {
		require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Transcripts.Put(ctx, &db.Transcript{
				Transcript: transcript.Transcript{
					Platform: transcript.VideoSite, ExternalID: video, Lang: "en", Source: transcript.OriginDownloader, Status: transcript.Ready,
					UpdatedAt: at,
				},
				SegmentsJSON: packed.Pack([]byte(segment(text))),
			})
			return err
		}))
	}
	reads := func() map[string]*answer {
		answers := map[string]*answer{"post": s.postJSON(t, post)}
		for _, path := range []string{savedVideo, savedVideo + "?include=words", savedVideo + "/download?format=srt", savedVideo + "/download?format=json"} {
			answers[path] = s.get(t, path)
			assert.Equal(t, answers[path].body, unzipped(t, s.asGzip(t, http.MethodGet, path, "").body), path)
		}
		return answers
	}
	before := map[string]*answer{}
	for n := range 4 {
		text := fmt.Sprintf("text %d", n)
		store(text)
		at = transcript.Time{}
		for path, a := range reads() {
			assert.Contains(t, a.body, text, path)
			if was := before[path]; was != nil && a.Header.Get("ETag") != "" {
				assert.NotEqual(t, was.Header.Get("ETag"), a.Header.Get("ETag"), path)
			}
			before[path] = a
		}
		if n == 1 { // the clock stands still
			saved, err := db.Of(s.Store).Contents.Shelf(t.Context(), "", "", transcript.VideoSite, video)
			require.NoError(t, err)
			at = transcript.At(saved.Texts[0].UpdatedAt)
		}
	}
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodPut, savedVideo+"/star", nil).StatusCode)
	reads()
	for path := range before {
		if path != "post" {
			assert.Equal(t, http.StatusNotFound, s.get(t, path, stranger).StatusCode, path)
			assert.Equal(t, http.StatusNotFound, s.get(t, path, stranger, header("If-None-Match", before[path].Header.Get("ETag"))).StatusCode, path)
		}
	}
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo, nil).StatusCode)
	for path := range before {
		if path != "post" {
			assert.Equal(t, http.StatusNotFound, s.get(t, path).StatusCode, path)
		}
	}
}

// A text is changed while many read it: each of them gets one that is whole, and none an
// older one than before.
func TestReadersOfATextThatChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	const changes = 20
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for last := -1; ; {
				select {
				case <-done:
					return
				default:
				}
				a, err := s.send(t, http.MethodGet, savedVideo+"/download?format=txt&includeTimestamp=false", nil)
				if !assert.NoError(t, err) || !assert.Equal(t, http.StatusOK, a.StatusCode) {
					return
				}
				n := -1
				_, _ = fmt.Sscanf(a.body, "text %d", &n) // the first text says something else
				assert.GreaterOrEqual(t, n, last)
				last = n
			}
		})
	}
	for n := range changes {
		require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Transcripts.Put(ctx, &db.Transcript{
				Transcript: transcript.Transcript{
					Platform: transcript.VideoSite, ExternalID: video, Lang: "en", Source: transcript.OriginDownloader, Status: transcript.Ready,
				},
				SegmentsJSON: packed.Pack([]byte(segment(fmt.Sprintf("text %d", n)))),
			})
			return err
		}))
	}
	close(done)
	readers.Wait()
	a := s.get(t, savedVideo)
	assert.True(t, bytes.Contains([]byte(a.body), fmt.Appendf(nil, "text %d", changes-1)))
}
