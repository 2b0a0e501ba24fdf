package openaiface_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const transcriptions = "/v1/audio/transcriptions"

// service is a running server, and a client without knowledge of any API.
type service struct {
	*servertest.Server
	http *http.Client
}

func start(t testing.TB, opts ...servertest.Option) *service {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	s := &service{servertest.New(t, opts...), &http.Client{Transport: transport}}
	t.Cleanup(transport.CloseIdleConnections)
	return s
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

// failure is an error of OpenAI's API.
type failure struct {
	Message string
	Type    string
	Param   *string
	Code    string
}

// failure reads the error of an answer, which has four members and no other.
func (a *answer) failure(t testing.TB) failure {
	t.Helper()
	var raw struct{ Error map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(a.body), &raw), a.body)
	require.Len(t, raw.Error, 4, a.body)
	for _, member := range []string{"message", "type", "param", "code"} {
		require.Contains(t, raw.Error, member, a.body)
	}
	var body struct{ Error failure }
	require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
	require.NotEmpty(t, body.Error.Message, a.body)
	return body.Error
}

// param is the field that an error names; empty: none.
func (f failure) param() string {
	if f.Param == nil {
		return ""
	}
	return *f.Param
}

type change func(*http.Request)

func header(name, value string) change { return func(r *http.Request) { r.Header.Set(name, value) } }

func as(key string) change {
	return func(r *http.Request) {
		if r.Header.Del("Authorization"); key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
	}
}

// part is one part of a form.
type part struct{ name, filename, content string }

func field(name, value string) part { return part{name: name, content: value} }

func file(content string) part { return part{"file", "talk.wav", content} }

var whisper = field("model", "whisper-1")

// form is a multipart body and its content type.
func form(t testing.TB, parts ...part) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		add := w.CreateFormField
		if p.filename != "" {
			add = func(name string) (io.Writer, error) { return w.CreateFormFile(name, p.filename) }
		}
		to, err := add(p.name)
		require.NoError(t, err)
		_, err = io.WriteString(to, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes(), w.FormDataContentType()
}

func (s *service) do(t testing.TB, method, path string, body io.Reader, changes ...change) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	for _, c := range changes {
		c(r)
	}
	resp, err := s.http.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return &answer{resp, string(said)}
}

// transcribe sends a form.
func (s *service) transcribe(t testing.TB, parts []part, changes ...change) *answer {
	t.Helper()
	body, contentType := form(t, parts...)
	return s.do(t, http.MethodPost, transcriptions, bytes.NewReader(body), append([]change{header("Content-Type", contentType)}, changes...)...)
}
