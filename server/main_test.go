package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

func TestMain(m *testing.M) {
	// Many of these tests wait: for a lease, for the next attempt of a job, for a client that is slow. So
	// more of them run at once than the Makefile asks for.
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err) // go test always has this flag
	}
	goleak.VerifyTestMain(suite{m})
}

// suite is all tests of the package. When all have run and passed, it fails where they
// have left out an answer that the document promises.
type suite struct{ *testing.M }

func (s suite) Run() (code int) {
	if code = s.M.Run(); code != 0 || !ranWhole() {
		return code
	}
	unseen := served.documents[""].Unseen()
	if len(unseen) == 0 {
		return 0
	}
	fmt.Fprintf(os.Stderr, "FAIL: openapi.json documents answers that no test has seen: see TestRefusalsOfEveryRoute.\n\t%s\n", strings.Join(unseen, "\n\t"))
	return 1
}

// ranWhole reports whether no flag has left tests out.
func ranWhole() bool {
	for _, name := range []string{"run", "skip", "list", "bench", "fuzz", "short"} {
		if f := flag.Lookup("test." + name); f.Value.String() != f.DefValue {
			return false
		}
	}
	return true
}

// service is a running server, and what a test wants to see of it.
type service struct {
	*servertest.Server
	http *http.Client
	log  *logBuffer

	options store.Options // of the database and the blobs
	dir     string
	blobs   string
	scratch string
}

func start(t testing.TB, configure ...func(*server.Config)) *service {
	t.Helper()
	database := storetest.SQLite(t)
	return startIn(t, database, filepath.Dir(strings.TrimPrefix(database.Database, "sqlite:")), configure...)
}

// startIn starts a server on a database, with its blobs under dir unless the options
// name a bucket.
func startIn(t testing.TB, database store.Options, dir string, configure ...func(*server.Config)) *service {
	t.Helper()
	s := &service{options: database, dir: dir, log: new(logBuffer), blobs: filepath.Join(dir, "blobs"), scratch: t.TempDir()}
	if strings.Contains(database.Blobs, "://") {
		s.blobs = database.Blobs // a bucket
	}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	opts := []servertest.Option{
		servertest.ConfigureStore(func(o *store.Options) {
			*o = store.Options{Database: database.Database, Blobs: s.blobs, OpenBucket: database.OpenBucket, Log: log}
		}),
		servertest.Configure(func(c *server.Config) {
			c.Log = log
			c.Dir = s.scratch
			server.SettingsOf(c).ProgressInterval = time.Millisecond
			server.SetAudio(c, 100*time.Millisecond)
			c.Sites = sites(t)
			server.SettingsOf(c).Timeout = patiently
		}),
	}
	for _, change := range configure {
		opts = append(opts, servertest.Configure(change))
	}
	var err error
	s.Server, err = servertest.Start(t.Context(), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.http = httpClient(t, s.URL)
	return s
}

// patiently lets a POST wait for the end of its job, however long the machine
// takes over it; a test of the wait's own end takes context.WithTimeout.
func patiently(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// offer puts the accounts on other plans.
func offer(c *server.Config, plans account.Plans) {
	accounts, err := account.New(c.Store, plans)
	if err != nil {
		panic(err) // of the test's own making
	}
	c.Accounts = accounts
}

// sites is a platform table of hosts that nobody has, and of some more.
func sites(t testing.TB, more ...map[transcript.Platform]site.Site) *site.Table {
	t.Helper()
	all := map[transcript.Platform]site.Site{
		transcript.VideoSite:        {Hosts: []string{"video.example"}, Canonical: "https://video.example/watch?v={id}"},
		transcript.ShortVideoSite:   {Hosts: []string{"clips.example"}, Canonical: "https://clips.example/@_/video/{id}"},
		transcript.PhotoSite:        {Hosts: []string{"photos.example"}, Canonical: "https://photos.example/p/{id}"},
		transcript.ProfessionalSite: {Hosts: []string{"work.example"}, Canonical: "https://work.example/feed/update/urn:li:activity:{id}"},
		transcript.MicroblogSite:    {Hosts: []string{"blog.example"}, Canonical: "https://blog.example/i/status/{id}"},
	}
	for _, m := range more {
		maps.Copy(all, m)
	}
	table, err := site.New(all)
	require.NoError(t, err)
	return table
}

// served are the documents that services serve, by the path under which they are
// mounted. To make one for each service would take most of some tests' time.
var served = struct {
	sync.Mutex
	documents map[string]*apitest.Document
}{documents: map[string]*apitest.Document{}}

// httpClient holds what it sends and receives to the API's document.
func httpClient(t testing.TB, service string) *http.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // what is asked for is what a test sees
	t.Cleanup(transport.CloseIdleConnections)
	at, err := url.Parse(service)
	require.NoError(t, err)
	served.Lock()
	defer served.Unlock()
	document := served.documents[at.Path]
	if document == nil {
		document, err = apitest.Fetch(t.Context(), service, transport)
		require.NoError(t, err)
		served.documents[at.Path] = document
	}
	return &http.Client{Transport: document.Transport(transport, func(err error) { t.Errorf("apitest: %s", err) })}
}

// logBuffer keeps a log.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// change is a change to a request before it is sent.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

// as sends another key; none where it is empty.
func as(key string) change {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
	}
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

// object is the body as a JSON object.
func (a *answer) object(t testing.TB) map[string]any {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &o), a.body)
	return o
}

// failure is the "error" object of the body.
func (a *answer) failure(t testing.TB) map[string]any {
	t.Helper()
	e, ok := a.object(t)["error"].(map[string]any)
	require.True(t, ok, "no error object: %s", a.body)
	return e
}

// slug is the flat error of the body; empty where it has another form.
func (a *answer) slug(t testing.TB) string {
	t.Helper()
	slug, _ := a.object(t)["error"].(string)
	return slug
}

// issuePaths are the paths of an error's issues.
func (a *answer) issuePaths(t testing.TB) (paths []string) {
	t.Helper()
	details, _ := a.failure(t)["details"].(map[string]any)
	issues, _ := details["issues"].([]any)
	for _, i := range issues {
		issue := i.(map[string]any)
		require.NotEmpty(t, issue["message"])
		paths = append(paths, issue["path"].(string))
	}
	return paths
}

// send sends a request with the service's key. It may be called from any
// goroutine.
func (s *service) send(t testing.TB, method, path string, body io.Reader, changes ...change) (*answer, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	for _, change := range changes {
		change(r)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return &answer{resp, string(b)}, err
}

func (s *service) do(t testing.TB, method, path string, body io.Reader, changes ...change) *answer {
	t.Helper()
	a, err := s.send(t, method, path, body, changes...)
	require.NoError(t, err)
	return a
}

func (s *service) get(t testing.TB, path string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodGet, path, nil, changes...)
}

func (s *service) postJSON(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	changes = append([]change{header("Content-Type", "application/json")}, changes...)
	return s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader(body), changes...)
}

// part is one part of a form.
type part struct {
	name, filename, declared, digest, content string
}

func field(name, value string) part { return part{name: name, content: value} }

func file(content string) part {
	return part{name: "file", filename: "talk.wav", declared: "audio/wav", content: content}
}

// form is a multipart body and its content type.
func form(t testing.TB, parts ...part) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		disposition := `form-data; name="` + p.name + `"`
		if p.filename != "" {
			disposition += `; filename="` + p.filename + `"`
		}
		h.Set("Content-Disposition", disposition)
		if p.declared != "" {
			h.Set("Content-Type", p.declared)
		}
		if p.digest != "" {
			h.Set("Content-Digest", p.digest)
		}
		pw, err := w.CreatePart(h)
		require.NoError(t, err)
		_, err = io.WriteString(pw, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes(), w.FormDataContentType()
}

func (s *service) postForm(t testing.TB, parts []part, changes ...change) *answer {
	t.Helper()
	body, contentType := form(t, parts...)
	changes = append([]change{header("Content-Type", contentType)}, changes...)
	return s.do(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), changes...)
}

// upload sends a file and waits for its job.
func (s *service) upload(t testing.TB, content string, changes ...change) *answer {
	t.Helper()
	return s.postForm(t, []part{field("waitMs", "10000"), file(content)}, changes...)
}

// job sends a file without waiting and returns the id of its job.
func (s *service) job(t testing.TB, content string, changes ...change) string {
	t.Helper()
	a := s.postForm(t, []part{field("waitMs", "0"), file(content)}, changes...)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	return a.object(t)["jobId"].(string)
}

// heldJob is a job whose recognition has begun and stands still until release.
func (s *service) heldJob(t testing.TB, content string) (id string, release func()) {
	t.Helper()
	before := s.Engine.Recognitions()
	release = s.Engine.Hold()
	id = s.job(t, content)
	require.NoError(t, s.Engine.Await(t.Context(), before+1))
	return id, release
}

// ended waits until the job has ended and returns it.
func (s *service) ended(t testing.TB, id string) map[string]any {
	t.Helper()
	resp := s.do(t, http.MethodGet, "/v1/transcript/job/"+id+"/events", nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	a := s.get(t, "/v1/transcript/job/"+id)
	require.Equal(t, http.StatusOK, a.StatusCode)
	return a.object(t)
}

// files are the regular files under dir, without locks.
func files(t testing.TB, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since its name was read
		}
		if err == nil && d.Type().IsRegular() && d.Name() != ".lock" {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
