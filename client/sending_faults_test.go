package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// status answers with a status alone.
func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// tells answers with a status and headers.
func tells(code int, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func submit(t *testing.T, c *client.Client, opts ...client.RequestOption) error {
	t.Helper()
	m := &media{content: large()}
	_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(int64(len(m.content)))}, opts...)
	assert.Equal(t, err == nil, job != nil)
	assert.Eventually(t, func() bool { return m.opened.Load() == m.closed.Load() }, time.Minute, time.Millisecond)
	return err
}

// TestLargeUploadToAnOldService: a service that does not know resumable uploads gets the form,
// and is not asked again.
func TestLargeUploadToAnOldService(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]func(http.ResponseWriter, *http.Request){
		"400":                  status(400),
		"404":                  status(404),
		"405":                  status(405),
		"415":                  status(415),
		"a job":                func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 202, jobBody("pending", "queued", 1)) },
		"no address":           tells(201, "Upload-Complete", "?0"),
		"another 201":          tells(201, "Location", "/v1/uploads/1"),
		"an address of a 202":  tells(202, "Location", "/v1/transcript/job/1", "Upload-Complete", "?0"),
		"an unknown condition": tells(201, "Location", "/v1/uploads/1", "Upload-Complete", "yes"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{hook: func(w http.ResponseWriter, r *http.Request, call string) bool {
				if call == "POST" {
					answers(w, r)
				}
				return call == "POST"
			}}
			c := served(t, k.ServeHTTP)
			require.NoError(t, submit(t, c))
			k.has(t, large())
			require.NoError(t, submit(t, c))
			assert.Equal(t, []string{"POST", "form", "form"}, k.calls)
		})
	}
	// A form that is refused too says nothing about resumable uploads.
	k := &keeper{hook: func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		writeJSON(w, 400, object{"error": object{"code": "INVALID_REQUEST", "message": "m"}})
		return true
	}}
	c := served(t, k.ServeHTTP)
	require.ErrorIs(t, submit(t, c), transcript.InvalidRequest)
	require.ErrorIs(t, submit(t, c), transcript.InvalidRequest)
	assert.Equal(t, []string{"POST", "form", "POST", "form"}, k.calls)
}

// TestUploadsThatAreForms: small files, and files whose size is not known.
func TestUploadsThatAreForms(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	c := served(t, k.ServeHTTP)
	for _, source := range []transcript.Source{
		(&media{content: large()}).source(-1),
		(&media{content: large()[:16<<20-1]}).source(16<<20 - 1),
	} {
		_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: source})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"form", "form"}, k.calls)
	k.got = nil
	_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: (&media{content: large()[:16<<20]}).source(16 << 20)})
	require.NoError(t, err)
	assert.Equal(t, []string{"form", "form", "POST", "PATCH 0"}, k.calls)
}

// lose answers as the keeper does, and breaks the connection instead of sending the answer.
func lose(k *keeper, r *http.Request, call string) {
	unseen := httptest.NewRecorder()
	switch call {
	case "POST":
		k.create(unseen)
	case "HEAD":
		k.tell(unseen, http.StatusNoContent)
	default:
		k.append(unseen, r)
	}
	panic(http.ErrAbortHandler)
}

// TestLargeUploadWhoseAnswersAreLost: of each step the answer is lost twice, and the file arrives
// once.
func TestLargeUploadWhoseAnswersAreLost(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"POST", "HEAD", "PATCH 0", "PATCH 8388608", "PATCH 16777216", "PATCH 16789561"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			lost := 0
			k := &keeper{says: "max-size=20000000, max-append-size=8388608;x=1, later=?1"}
			k.hook = func(_ http.ResponseWriter, r *http.Request, call string) bool {
				switch {
				case step == "HEAD" && call == "PATCH 0" && lost < 1, step == "PATCH 16789561" && call == "PATCH 16777216" && lost < 2:
					lost++
					lose(k, r, call)
				case call == step && lost < 2:
					lost++
					lose(k, r, call)
				}
				return false
			}
			c := served(t, k.ServeHTTP)
			require.NoError(t, submit(t, c))
			k.has(t, large())
			assert.EqualValues(t, len(large()), k.passed, "nothing is sent twice: %v", k.calls)
			assert.Positive(t, lost)
			for _, again := range k.keys {
				assert.Equal(t, k.keys[0], again, "the same upload")
			}
		})
	}
}

// TestLargeUploadIsRefused: a refusal is that of the form, whenever it comes.
func TestLargeUploadIsRefused(t *testing.T) {
	t.Parallel()
	refusal := func(w http.ResponseWriter, status int, code string) {
		writeJSON(w, status, object{"error": object{"code": code, "message": "m"}})
	}
	for name, tc := range map[string]struct {
		at     string
		answer func(w http.ResponseWriter, r *http.Request)
		code   transcript.Code
		calls  string
	}{
		"before it begins": {"POST", func(w http.ResponseWriter, _ *http.Request) { refusal(w, 402, "UPGRADE_REQUIRED") }, transcript.UpgradeRequired, "POST"},
		"too large":        {"POST", func(w http.ResponseWriter, _ *http.Request) { refusal(w, 422, "MEDIA_TOO_LARGE") }, transcript.MediaTooLarge, "POST"},
		"on the way":       {"PATCH 0", func(w http.ResponseWriter, _ *http.Request) { refusal(w, 401, "INVALID_CREDENTIAL") }, transcript.Unauthorized, "POST,PATCH 0,DELETE"},
		"as a whole": {"PATCH 0", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Upload-Complete", "?1")
			refusal(w, 422, "UPLOAD_INVALID")
		}, transcript.UploadInvalid, "POST,PATCH 0,DELETE"},
		"as a whole, with 404": {"PATCH 0", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Upload-Complete", "?1")
			refusal(w, 404, "NO_TRANSCRIPT")
		}, transcript.NoTranscript, "POST,PATCH 0,DELETE"},
		"for long": {"PATCH 0", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			refusal(w, 503, "SERVICE_UNAVAILABLE")
		}, transcript.ServiceUnavailable, "POST,PATCH 0,DELETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{hook: func(w http.ResponseWriter, r *http.Request, call string) bool {
				if call == tc.at {
					tc.answer(w, r)
				}
				return call == tc.at
			}}
			err := submit(t, served(t, k.ServeHTTP))
			require.ErrorIs(t, err, tc.code)
			var refused *client.Error
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, []string{"POST /v1/transcript", "HEAD /v1/uploads/1", "PATCH /v1/uploads/1"}, refused.Method+" "+refused.Path, "the step that failed")
			assert.Equal(t, tc.calls, strings.Join(k.calls, ","))
		})
	}
}

// TestLargeUploadToABusyService: a whole file that the service cannot take up yet is not sent
// again.
func TestLargeUploadToABusyService(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	refused := 0
	k.hook = func(w http.ResponseWriter, r *http.Request, call string) bool {
		if !strings.HasPrefix(call, "PATCH") || refused == 3 {
			return false
		}
		refused++
		k.append(httptest.NewRecorder(), r)
		tells(503, "Retry-After", "0", "Upload-Complete", "?1")(w, r)
		return true
	}
	require.NoError(t, submit(t, served(t, k.ServeHTTP)))
	k.has(t, large())
	assert.EqualValues(t, len(large()), k.passed)
}

// TestLargeUploadBehindAProxy that ends each request after a while, and answers by itself.
func TestLargeUploadBehindAProxy(t *testing.T) {
	t.Parallel()
	for _, code := range []int{408, 502, 504, 524} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			k := &keeper{cut: 3 << 20}
			k.hook = func(w http.ResponseWriter, r *http.Request, call string) bool {
				if !strings.HasPrefix(call, "PATCH") || r.ContentLength <= k.cut {
					return false
				}
				func() {
					defer func() { assert.Equal(t, http.ErrAbortHandler, recover()) }()
					k.append(httptest.NewRecorder(), r)
				}()
				http.Error(w, "<html>A timeout occurred</html>", code)
				return true
			}
			require.NoError(t, submit(t, served(t, k.ServeHTTP), client.WithRetry(client.RetryPolicy{Attempts: 2, MinWait: 1, MaxWait: 1})))
			k.has(t, large())
			assert.EqualValues(t, len(large()), k.passed)
		})
	}
	// An answer of the service itself is no timeout.
	k := &keeper{hook: func(w http.ResponseWriter, _ *http.Request, call string) bool {
		if call == "PATCH 0" {
			writeJSON(w, 500, object{"error": "internal_error"})
		}
		return call == "PATCH 0"
	}}
	require.ErrorContains(t, submit(t, served(t, k.ServeHTTP)), "500 INTERNAL")
	assert.Equal(t, []string{"POST", "PATCH 0", "DELETE"}, k.calls)
}

// TestLargeUploadIsGone: it begins again once. A second time it is an error.
func TestLargeUploadIsGone(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusNotFound, http.StatusGone} {
		for times, calls := range map[int]string{
			1: "POST,PATCH 0,POST,PATCH 0",
			9: "POST,PATCH 0,POST,PATCH 0,DELETE",
		} {
			t.Run(strconv.Itoa(code)+" "+strconv.Itoa(times), func(t *testing.T) {
				t.Parallel()
				lost := 0
				k := &keeper{hook: func(w http.ResponseWriter, _ *http.Request, call string) bool {
					if call != "PATCH 0" || lost == times {
						return false
					}
					lost++
					w.WriteHeader(code)
					return true
				}}
				err := submit(t, served(t, k.ServeHTTP))
				assert.Equal(t, calls, strings.Join(k.calls, ","))
				assert.NotEqual(t, k.keys[0], k.keys[1], "the first key stands for the upload that is gone")
				if times == 1 {
					require.NoError(t, err)
					k.has(t, large())
					return
				}
				var refused *client.Error
				require.ErrorAs(t, err, &refused)
				assert.Equal(t, code, refused.Response.StatusCode)
			})
		}
	}
}

// TestLargeUploadIsGivenUp: the end of the context ends all, and the upload is removed.
func TestLargeUploadIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]client.RequestOption{
		"":                        nil,
		"a key of the caller's":   {client.WithIdempotencyKey("mine")},
		"with a time per attempt": {client.WithAttemptTimeout(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			errWhy := errors.New("no more time")
			k := &keeper{hook: func(_ http.ResponseWriter, r *http.Request, call string) bool {
				if strings.HasPrefix(call, "PATCH") {
					_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
					cancel(errWhy)
					_, _ = io.Copy(io.Discard, r.Body)
					panic(http.ErrAbortHandler)
				}
				return false
			}}
			m := &media{content: large()}
			c := served(t, k.ServeHTTP)
			_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: m.source(int64(len(m.content)))}, options...)
			require.ErrorIs(t, err, errWhy)
			require.ErrorIs(t, err, context.Canceled)
			assert.Contains(t, strings.Join(k.calls, ","), "PATCH 0")
			assert.Equal(t, name != "a key of the caller's", k.calls[len(k.calls)-1] == "DELETE", "%v: another call can go on with the caller's key", k.calls)
		})
	}
}

// TestLargeUploadGoesOnInAnotherCall: the same call with the same key sends the rest.
func TestLargeUploadGoesOnInAnotherCall(t *testing.T) {
	t.Parallel()
	k := &keeper{cut: 5 << 20}
	require.ErrorContains(t, submit(t, served(t, k.ServeHTTP), client.WithIdempotencyKey("mine"), client.WithRetry(client.NoRetry)), "client: PATCH /v1/uploads/")
	k.cut = 0
	require.NoError(t, submit(t, served(t, k.ServeHTTP), client.WithIdempotencyKey("mine")))
	k.has(t, large())
	assert.EqualValues(t, len(large()), k.passed)
	assert.Equal(t, []string{"POST", "PATCH 0", "POST", "HEAD", "PATCH 5242880"}, k.calls)
	assert.Equal(t, []string{"mine", "mine"}, k.keys)
	// A call after the end asks for the answer again, and sends nothing.
	require.NoError(t, submit(t, served(t, k.ServeHTTP), client.WithIdempotencyKey("mine")))
	assert.EqualValues(t, len(large()), k.passed)
	// A service that does not tell of the repetition tells the byte at which to go on.
	k.keys, k.calls, k.whole, k.got = nil, nil, false, bytes.Clone(large()[:9<<20])
	require.NoError(t, submit(t, served(t, k.ServeHTTP), client.WithIdempotencyKey("mine")))
	k.has(t, large())
	assert.Equal(t, []string{"POST", "PATCH 0", "PATCH 9437184"}, k.calls)
	// The key belongs to one file.
	k.hook = func(w http.ResponseWriter, r *http.Request, call string) bool {
		if call == "HEAD" {
			tells(204, "Upload-Offset", "5", "Upload-Length", "20000000")(w, r)
		}
		return call == "HEAD"
	}
	err := submit(t, served(t, k.ServeHTTP), client.WithIdempotencyKey("mine"))
	require.ErrorIs(t, err, transcript.IdempotencyConflict)
	require.ErrorContains(t, err, "a file of 20000000 bytes, and this file has 16789561: choose another key")
}

// TestLargeUploadHearsInterimAnswers: a service may send many of them.
func TestLargeUploadHearsInterimAnswers(t *testing.T) {
	t.Parallel()
	k := &keeper{hook: func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		for range 50 {
			w.Header().Set("Upload-Offset", "1")
			w.WriteHeader(104)
		}
		w.Header().Del("Upload-Offset")
		return false
	}}
	require.NoError(t, submit(t, served(t, k.ServeHTTP)))
	k.has(t, large())
}

// TestLargeUploadOverADeadLine: a connection that takes no bytes for a minute is given up, and the
// upload goes on over another. A slow connection and a slow file are not given up.
func TestLargeUploadOverADeadLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const step = 1 << 20
		got, dead := 0, 0
		line := client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			resp := &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{"Upload-Offset": {strconv.Itoa(got)}}, Body: http.NoBody, Request: r}
			switch r.Method {
			case http.MethodPost:
				resp.StatusCode, resp.Header = 201, http.Header{"Location": {"/v1/uploads/1"}, "Upload-Complete": {"?0"}}
			case http.MethodPatch:
				for {
					n, err := io.CopyN(io.Discard, r.Body, step)
					if got += int(n); err != nil {
						break
					}
					if got == 3*step && dead == 0 {
						dead++
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					time.Sleep(50 * time.Second) // of the bubble
				}
				body, err := json.Marshal(jobBody("pending", "queued", 1))
				require.NoError(t, err)
				resp.StatusCode, resp.Header, resp.Body = 202, http.Header{"Upload-Complete": {"?1"}}, io.NopCloser(bytes.NewReader(body))
			}
			return resp, nil
		})
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: line}))
		require.NoError(t, err)
		source := transcript.Media("talk.wav", int64(len(large())), func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(large()[:8*step]), sleeping{}, bytes.NewReader(large()[8*step:]))), nil
		})
		var breaks []string
		_, _, err = c.Transcripts.Submit(t.Context(), transcript.Request{Source: source}, client.WithRetryNotify(func(err error, _ time.Duration) {
			breaks = append(breaks, err.Error())
		}))
		require.NoError(t, err)
		assert.Equal(t, len(large()), got)
		assert.Equal(t, []string{"client: PATCH /v1/uploads/1: the connection took no bytes for 1m0s"}, breaks)
	})
}

// sleeping takes an hour to have no bytes.
type sleeping struct{}

func (sleeping) Read([]byte) (int, error) {
	time.Sleep(time.Hour) // of the bubble
	return 0, io.EOF
}

// TestLargeUploadBehindAPrefix: the service does not know the path before its routes.
func TestLargeUploadBehindAPrefix(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"/v1/uploads/1", "/speech/v1/uploads/1", "uploads/1", "../v1/uploads/1"} {
		k := &keeper{location: location}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.True(t, r.URL.Path == "/speech/v1/transcript" || r.URL.Path == "/speech/v1/uploads/1", r.URL.Path)
			k.ServeHTTP(w, r)
		}))
		transport := &http.Transport{}
		c, err := client.New(srv.URL+"/speech", client.WithHTTPClient(&http.Client{Transport: transport}))
		require.NoError(t, err)
		require.NoError(t, submit(t, c))
		k.has(t, large())
		transport.CloseIdleConnections()
		srv.Close()
	}
}
