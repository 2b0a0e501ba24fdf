package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// cutOff is a body whose connection's deadline passes after what has come.
func cutOff(received string) io.Reader {
	return io.MultiReader(strings.NewReader(received), failing{fmt.Errorf("read: %w", os.ErrDeadlineExceeded)})
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

func TestBodiesThatDoNotArrive(t *testing.T) {
	t.Parallel()
	s := start(t)
	const boundary = "multipart/form-data; boundary=x"
	for _, c := range []struct{ path, contentType, received string }{
		{"/v1/transcript", "application/json", ""},
		{"/v1/transcript", "application/json", `{"url":"`},
		{"/v1/transcript", boundary, ""},
		{"/v1/transcript", boundary, "--x\r\nContent-Dis"},
		{"/v1/transcript", boundary, "--x\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\njs"},
		{"/v1/transcript", boundary, "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nmed"},
		{"/v1/transcript", boundary, "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nmedia\r\n--x--\r\n"},
		{unknownJob + "/cancel", "application/json", "{"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.path, cutOff(c.received))
		r.Header.Set("Authorization", "Bearer "+s.Key)
		r.Header.Set("Content-Type", c.contentType)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		assert.Equal(t, http.StatusRequestTimeout, w.Code, "%+v: %s", c, w.Body)
		assert.Contains(t, w.Body.String(), `"error":"request_timeout"`)
		assert.Equal(t, "close", w.Header().Get("Connection"))
	}
	s.nothingLeft(t)
}

// A refusal comes at once, and the connection ends, although the body that was
// announced does not come.
func TestRefusalsDoNotWaitForTheBody(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.Upload = false }))
	noScope := s.NewKey(t, "globex", account.Batches)
	for _, length := range []string{"Content-Length: 100", "Content-Length: 10000000", "Transfer-Encoding: chunked", "Content-Length: 100\r\nExpect: 100-continue"} {
		for _, c := range []struct {
			request, key, contentType string
			status                    int
		}{
			{"POST /v1/transcript", "", "application/json", 401},
			{"POST /v1/transcript", "nonsense", "application/json", 401},
			{"POST /v1/transcript", noScope, "application/json", 403},
			{"POST /v1/transcript", s.Key, "multipart/form-data; boundary=x", 402},
			{"POST /v1/transcript", s.Key, "text/plain", 415},
			{"POST /v1/transcript", s.Key, "application/json\r\nContent-Encoding: gzip", 415},
			{"POST /v1/transcript", s.Key, "application/json\r\nIdempotency-Key: ü", 400},
			{"POST " + unknownJob + "/cancel", s.Key, "text/plain", 415},
			{"GET " + unknownJob, s.Key, "text/plain", 404},
			{"GET " + unknownJob, "", "text/plain", 401},
			{"PUT /v1/transcript", s.Key, "text/plain", 405},
			{"POST /v1/nowhere", s.Key, "text/plain", 404},
		} {
			t.Run(fmt.Sprint(c.status, " ", c.request, " ", length), func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
				require.NoError(t, err)
				require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
				_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\n\r\n",
					c.request, c.key, c.contentType, length)
				require.NoError(t, err)
				answers := bufio.NewReader(conn)
				resp, err := http.ReadResponse(answers, nil)
				require.NoError(t, err, "%+v, %s", c, length)
				_, err = io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, c.status, resp.StatusCode, "%+v, %s", c, length)
				assert.True(t, resp.Close, "%+v", c)
				_, err = answers.ReadByte()
				assert.ErrorIs(t, err, io.EOF, "%+v, %s", c, length)
				require.NoError(t, conn.Close())
			})
		}
	}
}

// A body of another type, or one that is encoded, is refused before it is read;
// a POST that needs no body needs no type.
func TestTypesOfBodies(t *testing.T) {
	t.Parallel()
	s := start(t)
	cancel := unknownJob + "/cancel"
	for _, c := range []struct {
		path, body string
		headers    http.Header
		status     int
		path0      string // of the only issue
	}{
		{cancel, "", nil, 404, ""},
		{cancel, "", http.Header{"Content-Type": {"text/plain"}}, 404, ""},
		{cancel, "{}", http.Header{"Content-Type": {"application/json"}}, 404, ""},
		{cancel, " { } ", http.Header{"Content-Type": {"application/json; charset=utf-8"}}, 404, ""},
		{cancel, "{}", nil, 415, ""},
		{cancel, "{}", http.Header{"Content-Type": {"text/plain"}}, 415, ""},
		{cancel, "a=b", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 415, ""},
		{cancel, "{}", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, 415, ""},
		{cancel, `{"reason":"x"}`, http.Header{"Content-Type": {"application/json"}}, 400, "reason"},
		{cancel, `[]`, http.Header{"Content-Type": {"application/json"}}, 400, "body"},
		{cancel, "{}\xff", http.Header{"Content-Type": {"application/json"}}, 400, "body"},
		{"/v1/transcript", "", nil, 400, "body"},
		{"/v1/transcript", "", http.Header{"Content-Type": {"application/json"}}, 400, "body"},
		{"/v1/transcript", "{}", nil, 415, ""},
		{"/v1/transcript", "{}", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, 415, ""},
		{"/v1/transcript", "{}", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity, br"}}, 415, ""},
		{"/v1/transcript", "{}", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity", "br"}}, 415, ""},
		{"/v1/transcript", "{}", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}, "Content-Encoding": {"gzip"}}, 415, ""},
		{"/v1/transcript", "{}", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"Identity"}}, 400, "url"},
	} {
		a := s.do(t, http.MethodPost, c.path, strings.NewReader(c.body), func(r *http.Request) {
			for name, values := range c.headers {
				r.Header[name] = values
			}
		})
		require.Equal(t, c.status, a.StatusCode, "%+v: %s", c, a.body)
		switch c.status {
		case http.StatusUnsupportedMediaType:
			assert.Equal(t, "unsupported_media_type", a.slug(t))
			if c.headers["Content-Encoding"] != nil {
				assert.Equal(t, "identity", a.Header.Get("Accept-Encoding"))
				assert.Contains(t, a.object(t)["message"], "without Content-Encoding")
			} else {
				assert.Contains(t, a.object(t)["message"], "application/json")
			}
		case http.StatusBadRequest:
			assert.Equal(t, []string{c.path0}, a.issuePaths(t), "%+v", c)
		}
	}
}
