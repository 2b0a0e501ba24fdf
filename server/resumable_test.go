package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// rawFile is the header of a body that is a recording.
var rawFile = header("Content-Type", "audio/mpeg")

// complete tells whether the body is the end of the file.
func complete(value bool) change { return header(resumable.Complete, resumable.Bool(value)) }

func lengthOf(n int) change { return header(resumable.Length, strconv.Itoa(n)) }

// digestOf announces the checksum of a file.
func digestOf(name, file string) change {
	sum := sha256.Sum256([]byte(file))
	return header(name, "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
}

// ofUnknownLength sends the body in chunks.
func ofUnknownLength(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(r.Body), -1 }

// postFile sends a file as the body of a request.
func (s *service) postFile(t testing.TB, query, body string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPost, "/v1/transcript"+query, strings.NewReader(body), append([]change{rawFile}, changes...)...)
}

// begin begins an upload with the first bytes of a file, and returns its path.
func (s *service) begin(t testing.TB, first string, changes ...change) (path string) {
	t.Helper()
	a := s.postFile(t, "?waitMs=10000", first, append([]change{complete(false)}, changes...)...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	require.Equal(t, "?0", a.Header.Get(resumable.Complete))
	return a.Header.Get("Location")
}

// appendTo sends the next bytes of an upload.
func (s *service) appendTo(t testing.TB, path string, offset int, body string, last bool, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPatch, path, strings.NewReader(body), append([]change{
		header("Content-Type", resumable.Partial), header(resumable.Offset, strconv.Itoa(offset)), complete(last),
	}, changes...)...)
}

// offsetOf is how far an upload has come.
func (s *service) offsetOf(t testing.TB, path string, changes ...change) string {
	t.Helper()
	a := s.do(t, http.MethodHead, path, nil, changes...)
	require.Equal(t, http.StatusNoContent, a.StatusCode)
	return a.Header.Get(resumable.Offset)
}

// externalID is the id of a file.
func externalID(file string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(file)))[:32] }

// isTextOf asserts that an answer is the text of a whole file.
func (a *answer) isTextOf(t testing.TB, file string) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, externalID(file), a.object(t)["transcript"].(map[string]any)["externalId"])
}

func TestUploadInParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "the ")
	a := s.do(t, http.MethodHead, path, nil)
	require.Equal(t, http.StatusNoContent, a.StatusCode)
	assert.Equal(t, "4", a.Header.Get(resumable.Offset))
	assert.Equal(t, "?0", a.Header.Get(resumable.Complete))
	assert.Empty(t, a.Header.Get(resumable.Length))
	assert.Equal(t, "max-size=4294967296, max-age=86400", a.Header.Get(resumable.Limit))
	assert.Equal(t, "no-store", a.Header.Get("Cache-Control"))

	a = s.appendTo(t, path, 4, "whole ", false, lengthOf(14))
	require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
	assert.Equal(t, "10", a.Header.Get(resumable.Offset))
	assert.Equal(t, "?0", a.Header.Get(resumable.Complete))
	assert.Equal(t, "14", s.do(t, http.MethodHead, path, nil).Header.Get(resumable.Length))

	a = s.appendTo(t, path, 10, "file", true)
	a.isTextOf(t, "the whole file")
	assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	s.nothingLeft(t)

	// The answer may be lost on its way.
	a = s.appendTo(t, path, 14, "", true)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	s.get(t, a.Header.Get("Location")).isTextOf(t, "the whole file")
	a = s.do(t, http.MethodHead, path, nil)
	assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	assert.Equal(t, "14", a.Header.Get(resumable.Length))
}

// A file of several parts, each of one MiB at most, is the file that was sent.
func TestUploadOfManyParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	file := string(bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16))
	path := s.begin(t, file[:3<<19], lengthOf(len(file)), digestOf("Repr-Digest", file))
	assert.Equal(t, strconv.Itoa(3<<19), s.offsetOf(t, path))
	s.appendTo(t, path, 3<<19, file[3<<19:], true, ofUnknownLength).isTextOf(t, file)
	s.nothingLeft(t)
}

func TestRawBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, changes := range map[string][]change{
		"without headers of uploads": nil,
		"that can be resumed":        {complete(true)},
		"of unknown length":          {complete(true), ofUnknownLength},
		"of unknown length, at once": {ofUnknownLength},
		"with a checksum":            {complete(true), digestOf("Content-Digest", "with a checksum")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postFile(t, "?waitMs=10000&sendMetadata=true&unknown=1", name,
				append([]change{header("Content-Disposition", "inline; filename*=UTF-8''..%2FR%C3%A9union.mp3")}, changes...)...)
			a.isTextOf(t, name)
			assert.Equal(t, "Réunion", a.object(t)["transcript"].(map[string]any)["title"])
		})
	}
	t.Cleanup(func() { s.nothingLeft(t) })
}

// The wishes of the first request count for the answer to the last one.
func TestWishesOfAnUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postFile(t, "?format=text&waitMs=10000&includeTimestamp=false", "", complete(false))
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	a = s.appendTo(t, a.Header.Get("Location"), 0, "a file", true)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, "text", a.object(t)["format"])
	assert.NotContains(t, a.object(t)["text"], "[00:00:00]")

	a = s.postFile(t, "?waitMs=x", "", complete(false))
	require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
	assert.Equal(t, []string{"waitMs"}, a.issuePaths(t))
}

// The same bytes are answered from the cache, and their parts go.
func TestUploadOfAKnownFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.upload(t, "a known file").isTextOf(t, "a known file")
	path := s.begin(t, "a known ")
	for _, a := range []*answer{s.appendTo(t, path, 8, "file", true), s.appendTo(t, path, 12, "", true)} {
		a.isTextOf(t, "a known file")
		assert.Equal(t, true, a.object(t)["cached"])
	}
	assert.Equal(t, 1, s.Engine.Recognitions())
	s.nothingLeft(t)
}

func TestUploadOfAnotherFileThanAnnounced(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, send := range map[string]func(t *testing.T) (a *answer, path string){
		"at once": func(t *testing.T) (*answer, string) {
			t.Helper()
			return s.postFile(t, "", "a file", complete(true), digestOf("Repr-Digest", "another")), ""
		},
		"at once, in this request": func(t *testing.T) (*answer, string) {
			t.Helper()
			return s.postFile(t, "", "a file", digestOf("Content-Digest", "another")), ""
		},
		"at first": func(t *testing.T) (*answer, string) {
			t.Helper()
			path := s.begin(t, "a ", digestOf("Repr-Digest", "another"))
			return s.appendTo(t, path, 2, "file", true), path
		},
		"at last": func(t *testing.T) (*answer, string) {
			t.Helper()
			path := s.begin(t, "a ")
			return s.appendTo(t, path, 2, "file", true, digestOf("Repr-Digest", "another")), path
		},
		"empty": func(t *testing.T) (*answer, string) {
			t.Helper()
			path := s.begin(t, "")
			return s.appendTo(t, path, 0, "", true), path
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, path := send(t)
			require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
			assert.Equal(t, "UPLOAD_INVALID", a.failure(t)["code"])
			if path == "" {
				return
			}
			assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
			end, err := strconv.Atoi(s.offsetOf(t, path))
			require.NoError(t, err)
			again := s.appendTo(t, path, end, "", true)
			assert.Equal(t, a.failure(t)["message"], again.failure(t)["message"])
		})
	}
	t.Cleanup(func() { s.nothingLeft(t); assert.Zero(t, s.Engine.Recognitions()) })
}

// A refusal of the whole file says so. The sender asks again when the reason has gone, without
// sending the file again.
func TestRefusedUploadIsAskedForAgain(t *testing.T) {
	t.Parallel()
	refusal := transcript.Errorf(transcript.InsufficientCredits, "No credits are left.")
	credits := false
	s := start(t, func(c *server.Config) {
		c.Admit = func(_ context.Context, _ account.Principal, op server.Operation) error {
			assert.Equal(t, int64(6), op.UploadBytes)
			if credits {
				return nil
			}
			return refusal
		}
	})
	path := s.begin(t, "a ")
	for _, a := range []*answer{s.appendTo(t, path, 2, "file", true), s.appendTo(t, path, 6, "", true)} {
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		assert.Equal(t, "INSUFFICIENT_CREDITS", a.failure(t)["code"])
		assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	}
	credits = true
	s.appendTo(t, path, 6, "", true).isTextOf(t, "a file")
	s.nothingLeft(t)
}

func TestDeletedUploads(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "a file")
	a := s.do(t, http.MethodDelete, path, nil)
	require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
	assert.Empty(t, files(t, s.blobs))
	for _, a := range []*answer{
		s.do(t, http.MethodDelete, path, nil), s.appendTo(t, path, 6, "", true), s.do(t, http.MethodDelete, "/v1/uploads/none", nil),
	} {
		require.Equal(t, http.StatusNotFound, a.StatusCode)
		assert.Equal(t, "NOT_FOUND", a.failure(t)["code"])
	}
	require.Equal(t, http.StatusNotFound, s.do(t, http.MethodHead, path, nil).StatusCode)

	// The job of a whole file goes on.
	defer s.Engine.Hold()()
	a = s.postFile(t, "?waitMs=0", "", complete(false))
	path = a.Header.Get("Location")
	a = s.appendTo(t, path, 0, "another file", true)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, path, nil).StatusCode)
	a = s.get(t, a.Header.Get("Location"))
	assert.Equal(t, "processing", a.object(t)["status"])
}

func TestUploadLimits(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	a := s.do(t, http.MethodOptions, "/v1/transcript", nil)
	require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
	assert.Equal(t, "max-size=1000, max-age=86400", a.Header.Get(resumable.Limit))
	assert.Equal(t, resumable.Partial, a.Header.Get("Accept-Patch"))

	tooLarge := func(a *answer) {
		t.Helper()
		require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
		assert.Equal(t, "MEDIA_TOO_LARGE", a.failure(t)["code"])
		assert.Equal(t, map[string]any{"limitBytes": 1000.0}, a.failure(t)["details"])
	}
	long := strings.Repeat("a", 1001)
	tooLarge(s.postFile(t, "", long))
	tooLarge(s.postFile(t, "", long, complete(true)))
	tooLarge(s.postFile(t, "", long, complete(true), ofUnknownLength))
	tooLarge(s.postFile(t, "", "", complete(false), lengthOf(1001)))
	path := s.begin(t, long[:1000])
	tooLarge(s.appendTo(t, path, 1000, "a", false))
	tooLarge(s.appendTo(t, path, 1000, "a", false, ofUnknownLength))
	assert.Equal(t, "1000", s.offsetOf(t, path))
	s.appendTo(t, path, 1000, "", true).isTextOf(t, long[:1000])
	s.nothingLeft(t)
}

// An account has a bound of unfinished uploads, and of their bytes.
func TestTooManyUploads(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	refused := func(changes ...change) {
		t.Helper()
		a := s.postFile(t, "", "", append(changes, complete(false))...)
		require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
		assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	}
	var paths []string
	for range 4 { // files of the largest size, as their length is not known
		paths = append(paths, s.begin(t, ""))
	}
	refused(lengthOf(1))
	other := as(s.NewKey(t, "globex"))
	s.begin(t, "", other)
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, paths[0], nil).StatusCode)
	for range 29 {
		s.begin(t, "", lengthOf(1))
	}
	refused(lengthOf(1))
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, paths[1], nil).StatusCode)
	s.begin(t, "", lengthOf(1))
}

// An upload goes on under the plan that the account has then.
func TestUploadAfterAChangeOfThePlan(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	path := s.begin(t, "a ")
	for _, change := range []account.Settings{{Plan: "no uploads"}, {Suspended: new(true)}} {
		_, err := s.Accounts.Set(t.Context(), servertest.Account, change)
		require.NoError(t, err)
		a := s.appendTo(t, path, 2, "file", true)
		require.Contains(t, []int{http.StatusPaymentRequired, http.StatusForbidden}, a.StatusCode, a.body)
		assert.NotEqual(t, "?1", a.Header.Get(resumable.Complete))
	}
	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "small", Suspended: new(false)})
	require.NoError(t, err)
	s.appendTo(t, path, 2, "file", true).isTextOf(t, "a file")
}

// However many requests bring a file, it is stored in few parts, and offsets never go back.
func TestUploadByteByByte(t *testing.T) {
	t.Parallel()
	s := start(t)
	file := strings.Repeat("the whole file ", 8)
	path := s.begin(t, "", digestOf("Repr-Digest", file), lengthOf(len(file)))
	for i := range len(file) - 1 {
		a := s.appendTo(t, path, i, file[i:i+1], false)
		require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
		require.Equal(t, strconv.Itoa(i+1), a.Header.Get(resumable.Offset))
		require.LessOrEqual(t, len(files(t, s.blobs)), 40)
	}
	s.appendTo(t, path, len(file)-1, file[len(file)-1:], true).isTextOf(t, file)
	s.nothingLeft(t)
}

// TestTextOfAnUpload: the owner of an unfinished upload reads what is recognized of it. Here nothing is,
// because the engine of the test reads whole files.
func TestTextOfAnUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "half ")
	for _, query := range []string{"", "?from=7&heardMs=12000&waitMs=0"} {
		a := s.get(t, path+"/text"+query)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, "no-store", a.Header.Get("Cache-Control"))
		assert.JSONEq(t, `{"uploadId":"`+path[strings.LastIndex(path, "/")+1:]+`","receivedBytes":5,"heardSec":0,"from":0,"segments":[],"tail":""}`, a.body)
	}
	assert.Equal(t, http.StatusBadRequest, s.get(t, path+"/text?from=x").StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, path+"/text", as(s.NewKey(t, "another"))).StatusCode)
	s.appendTo(t, path, 5, "a file", true).isTextOf(t, "half a file")
	assert.Equal(t, http.StatusNotFound, s.get(t, path+"/text").StatusCode)
}
