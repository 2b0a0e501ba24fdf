package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
)

// A header that is no number or no boolean is refused, and so are lengths that contradict each
// other. Nothing is stored.
func TestHostileHeadersOfUploads(t *testing.T) {
	t.Parallel()
	s := start(t)
	const inconsistent = "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"
	for name, c := range map[string]struct {
		body    string
		changes []change
		path    string // of the issue
		problem any
	}{
		"a word":            {"a", []change{header(resumable.Complete, "true")}, "Upload-Complete", nil},
		"no question mark":  {"a", []change{header(resumable.Complete, "1")}, "Upload-Complete", nil},
		"two values":        {"a", []change{header(resumable.Complete, "?1, ?0")}, "Upload-Complete", nil},
		"two headers":       {"a", []change{func(r *http.Request) { r.Header[resumable.Complete] = []string{"?1", "?0"} }}, "Upload-Complete", nil},
		"a negative length": {"a", []change{complete(false), header(resumable.Length, "-1")}, "Upload-Length", nil},
		"a fraction":        {"a", []change{complete(false), header(resumable.Length, "1.5")}, "Upload-Length", nil},
		"a hex number":      {"a", []change{complete(false), header(resumable.Length, "0x10")}, "Upload-Length", nil},
		"a huge length":     {"a", []change{complete(false), header(resumable.Length, "9999999999999999")}, "Upload-Length", nil},
		"beyond 64 bits":    {"a", []change{complete(false), header(resumable.Length, strings.Repeat("9", 40))}, "Upload-Length", nil},
		"an offset":         {"a", []change{complete(false), header(resumable.Offset, "1")}, "Upload-Offset", nil},
		"longer than said":  {"four", []change{complete(false), lengthOf(3)}, "Upload-Length", inconsistent},
		"shorter than said": {"four", []change{complete(true), lengthOf(5)}, "Upload-Length", inconsistent},
		"no disposition":    {"a", []change{complete(true), header("Content-Disposition", "a;b;c")}, "Content-Disposition", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postFile(t, "", c.body, c.changes...)
			require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
			assert.Equal(t, []string{c.path}, a.issuePaths(t))
			assert.Equal(t, c.problem, a.failure(t)["details"].(map[string]any)["type"])
		})
	}
	t.Run("a checksum that cannot be read", func(t *testing.T) {
		t.Parallel()
		a := s.postFile(t, "", "a", complete(true), header("Repr-Digest", "sha-256=:no:"))
		require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
	})
	t.Cleanup(func() { assert.Empty(t, files(t, s.blobs)) })
}

func TestHostilePartsOfUploads(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "four", lengthOf(10), digestOf("Repr-Digest", "one file"))
	for name, c := range map[string]struct {
		a    *answer
		path string
	}{
		"longer than the length":     {s.appendTo(t, path, 4, "seven b", false), "Upload-Length"},
		"shorter than the length":    {s.appendTo(t, path, 4, "five", true), "Upload-Length"},
		"another length":             {s.appendTo(t, path, 4, "five", false, lengthOf(11)), "Upload-Length"},
		"another checksum":           {s.appendTo(t, path, 4, "five", false, digestOf("Repr-Digest", "another")), "Repr-Digest"},
		"no offset":                  {s.appendTo(t, path, 4, "five", false, header(resumable.Offset, "")), "Upload-Offset"},
		"no word whether it is last": {s.appendTo(t, path, 4, "five", false, func(r *http.Request) { r.Header.Del(resumable.Complete) }), "Upload-Offset"},
	} {
		require.Equal(t, http.StatusBadRequest, c.a.StatusCode, "%s: %s", name, c.a.body)
		assert.Equal(t, []string{c.path}, c.a.issuePaths(t), name)
	}
	a := s.do(t, http.MethodPatch, path, strings.NewReader("five"), header("Content-Type", "audio/mpeg"), header(resumable.Offset, "4"), complete(false))
	assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, a.body)
	assert.Equal(t, http.StatusBadRequest, s.do(t, http.MethodHead, path, nil, header(resumable.Offset, "4")).StatusCode)

	for _, offset := range []int{0, 3, 5, 10} {
		a := s.appendTo(t, path, offset, "", false)
		require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
		assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
		assert.Equal(t, map[string]any{
			"type":           "https://iana.org/assignments/http-problem-types#mismatching-upload-offset",
			"expectedOffset": 4.0, "providedOffset": float64(offset),
		}, a.failure(t)["details"])
		assert.Equal(t, "4", a.Header.Get(resumable.Offset))
		assert.Equal(t, "?0", a.Header.Get(resumable.Complete))
	}
	assert.Equal(t, "4", s.offsetOf(t, path), "nothing has been stored")

	// A body of unknown length may bring more than the upload has: then the upload is removed.
	a = s.appendTo(t, path, 4, "seven b", false, ofUnknownLength)
	require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
	assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodHead, path, nil).StatusCode)
	assert.Empty(t, files(t, s.blobs))
}

// stored waits until the service has written so many bytes of files.
func (s *service) stored(t testing.TB, bytes int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var size int64
		for _, path := range files(t, s.blobs) {
			if info, err := os.Stat(path); err == nil {
				size += info.Size()
			}
		}
		return size == int64(bytes)
	}, time.Minute, time.Millisecond)
}

// sendSlowly sends the beginning of a body. The request ends when cut is called.
func (s *service) sendSlowly(t *testing.T, method, path, beginning string, changes ...change) (location func() string, cut func(), ended <-chan struct{}) {
	t.Helper()
	body, sender := io.Pipe()
	named := make(chan string, 1)
	ctx, cancel := context.WithCancel(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			assert.Equal(t, resumable.StatusResumption, code)
			assert.Equal(t, resumable.InteropVersion, header.Get(resumable.Interop))
			assert.Equal(t, "max-size=4294967296, max-age=86400", header.Get(resumable.Limit))
			assert.Len(t, header, 3)
			named <- header.Get("Location")
			return nil
		},
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.send(t, method, path, body, append(changes, func(r *http.Request) { *r = *r.WithContext(ctx) })...) // the request is cut
	}()
	_, err := io.WriteString(sender, beginning)
	require.NoError(t, err)
	return func() string { return <-named }, func() { cancel(); sender.CloseWithError(io.ErrUnexpectedEOF); <-done }, done
}

var reads104 = header(resumable.Interop, resumable.InteropVersion)

// A request that breaks is continued where it broke: all that has arrived is stored.
func TestCutUploadIsContinued(t *testing.T) {
	t.Parallel()
	s := start(t)
	location, cut, _ := s.sendSlowly(t, http.MethodPost, "/v1/transcript?waitMs=10000", "the beginning", rawFile, complete(true), reads104)
	path := location()
	s.stored(t, 13)
	cut()
	require.Equal(t, "13", s.offsetOf(t, path))

	_, cut, _ = s.sendSlowly(t, http.MethodPatch, path, " and the middle",
		header("Content-Type", resumable.Partial), header(resumable.Offset, "13"), complete(true))
	s.stored(t, 28)
	cut()
	require.Equal(t, "28", s.offsetOf(t, path))
	s.appendTo(t, path, 28, " and the end", true).isTextOf(t, "the beginning and the middle and the end")
	s.nothingLeft(t)
}

// Nobody knows where to continue a request whose sender reads no interim answers.
func TestCutUploadWithoutAddressIsRemoved(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "7", "8, 8"} {
		s := start(t)
		_, cut, _ := s.sendSlowly(t, http.MethodPost, "/v1/transcript", "the beginning", rawFile, complete(true), header(resumable.Interop, version))
		s.stored(t, 13)
		cut()
		s.nothingLeft(t)
	}
}

// A newer request ends an older one, whose bytes are stored first. So no offset that is told is
// wrong a moment later.
func TestNewerRequestTakesTheUploadOver(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, newer := range map[string]func(t *testing.T, path string){
		"HEAD": func(t *testing.T, path string) {
			t.Helper()
			assert.Equal(t, "14", s.offsetOf(t, path))
		},
		"PATCH": func(t *testing.T, path string) {
			t.Helper()
			a := s.appendTo(t, path, 4, "other", true)
			require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
			require.Equal(t, "14", a.Header.Get(resumable.Offset))
		},
		"DELETE": func(t *testing.T, path string) {
			t.Helper()
			assert.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, path, nil).StatusCode)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := s.begin(t, "the ") // one after the other: stored counts the bytes of all uploads
			_, cut, ended := s.sendSlowly(t, http.MethodPatch, path, "beginning ", header("Content-Type", resumable.Partial), header(resumable.Offset, "4"), complete(true))
			s.stored(t, 14)
			newer(t, path)
			<-ended // although its body has not ended
			cut()
			if name != "DELETE" {
				s.appendTo(t, path, 14, name, true).isTextOf(t, "the beginning "+name)
			}
			s.nothingLeft(t)
		})
	}
}

// A request of another account does not end a request that appends, even if the other account
// knows the id of the upload.
func TestForeignRequestLeavesTheUploadAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	foreign := as(s.NewKey(t, "globex"))
	path := s.begin(t, "the ")
	_, cut, ended := s.sendSlowly(t, http.MethodPatch, path, "beginning ", header("Content-Type", resumable.Partial), header(resumable.Offset, "4"), complete(true))
	s.stored(t, 14)
	for _, method := range []string{http.MethodHead, http.MethodDelete} {
		assert.Equal(t, http.StatusNotFound, s.do(t, method, path, nil, foreign).StatusCode, method)
		select {
		case <-ended:
			require.Fail(t, "the request of another account has ended the upload's request", method)
		default:
		}
	}
	cut()
	s.appendTo(t, path, 14, "end", true).isTextOf(t, "the beginning end")
}

// A sender that is too slow gets a 408, and continues with another request.
func TestUploadOfASlowSender(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "a ")
	a := s.behindASlowLine(t).do(t, http.MethodPatch, path, strings.NewReader("slow"), header("Content-Type", resumable.Partial), header(resumable.Offset, "2"), complete(true))
	require.Equal(t, http.StatusRequestTimeout, a.StatusCode, a.body)
	assert.Equal(t, "?0", a.Header.Get(resumable.Complete))
	s.appendTo(t, path, 3, "file", true).isTextOf(t, "a {file") // the slow line has sent a brace
}

// A repeated POST with the same key names the same upload.
func TestRepeatedUploadNamesTheSame(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "mine")
	path := s.begin(t, "a ", key)
	a := s.postFile(t, "?waitMs=10000", "a ", complete(false), key)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	assert.Equal(t, path, a.Header.Get("Location"))
	assert.Equal(t, "true", a.Header.Get("Idempotency-Replayed"))
	assert.Len(t, files(t, s.blobs), 1)
	a = s.postFile(t, "?waitMs=10000", "b ", complete(false), key)
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", a.failure(t)["code"])
	s.appendTo(t, path, 2, "file", true).isTextOf(t, "a file")

	whole := header("Idempotency-Key", "whole")
	for _, replayed := range []string{"", "true"} {
		a := s.postFile(t, "?waitMs=10000", "a whole file", complete(true), whole)
		a.isTextOf(t, "a whole file")
		assert.Equal(t, replayed, a.Header.Get("Idempotency-Replayed"))
		assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	}
	s.nothingLeft(t)
}
