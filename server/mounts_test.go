package server_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	discovery "github.com/transcriptkit/transcriptkit/transcript/video"
)

// mounted is a part of the API that stands alone in a site.
type mounted struct {
	*client.Client                // of the part
	url            string         // before the paths of the part
	all            *client.Client // of the whole API, for what the part does not serve
	service        *servertest.Server
}

// answers asks the part as a program without the SDK does.
func (m *mounted) answers(ctx context.Context, method, path, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+m.service.Key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &client.Error{Method: method, Path: path, Message: resp.Status}
	}
	return nil
}

// saved saves the video in the library.
func (m *mounted) saved(ctx context.Context) (library.Key, error) {
	_, err := m.all.Transcripts.Get(ctx, transcript.Request{Source: transcript.URL(video)})
	return library.Key{Platform: transcript.VideoSite, ExternalID: video}, err
}

// mounts are the parts of the API, by their methods: the patterns that a mux needs, which the
// comment of the method names, and what a program does with the part.
var mounts = map[string]struct {
	patterns []string
	use      func(ctx context.Context, m *mounted) error
}{
	"Handler":     {[]string{"/"}, uploadTo},
	"Transcripts": {[]string{"/v1/transcript", "/v1/transcript/"}, uploadTo},
	"Captions": {[]string{"/v1/video_site/captions", "/v1/transcript/info"}, func(ctx context.Context, m *mounted) error {
		if _, err := m.Transcripts.Captions(ctx, video, nil); err != nil {
			return err
		}
		_, err := m.Transcripts.Info(ctx, transcript.URL(video))
		return err
	}},
	"Discovery": {[]string{"/v1/video_site/"}, func(ctx context.Context, m *mounted) error {
		m.service.Engine.SetList("PLtalks000000000000000000", video)
		if _, err := m.Videos.Search(ctx, discovery.Search{Q: "talk"}, client.PageParams{}); err != nil {
			return err
		}
		_, err := m.Videos.Items(ctx, "PLtalks000000000000000000", client.PageParams{})
		return err
	}},
	"Library": {[]string{"/v1/library/"}, func(ctx context.Context, m *mounted) error {
		key, err := m.saved(ctx)
		if err != nil {
			return err
		}
		text, err := m.Library.Get(ctx, key)
		if err != nil {
			return err
		}
		word := "corrected"
		if _, err = m.Library.Edit(ctx, key, text.Revision, library.Edit{Segments: []library.SegmentEdit{{Text: &word}}}); err != nil {
			return err
		}
		_, err = m.Library.Search(ctx, library.Search{Q: word}, client.PageParams{})
		return err
	}},
	"Shared": {[]string{"/v1/shared/"}, func(ctx context.Context, m *mounted) error {
		key, err := m.saved(ctx)
		if err != nil {
			return err
		}
		share, err := m.all.Library.Share(ctx, key, time.Time{})
		if err != nil {
			return err
		}
		_, err = m.Library.Shared(ctx, m.url+strings.TrimPrefix(share.URL, m.service.URL))
		return err
	}},
	"Feeds": {[]string{"/v1/feed", "/v1/feeds/"}, func(ctx context.Context, m *mounted) error {
		feed, err := m.Library.RenewFeed(ctx)
		if err != nil {
			return err
		}
		return m.answers(ctx, http.MethodGet, feed.URL[strings.Index(feed.URL, "/v1/"):], "")
	}},
	"Batches": {[]string{"/v1/batch", "/v1/batch/"}, func(ctx context.Context, m *mounted) error {
		made, err := m.Batches.Create(ctx, client.BatchParams{URLs: []string{video}})
		if err != nil {
			return err
		}
		_, err = m.Batches.Wait(ctx, made.ID)
		return err
	}},
	"Follows": {[]string{"/v1/follows", "/v1/follows/"}, func(ctx context.Context, m *mounted) error {
		made, _, err := m.Follows.Create(ctx, client.FollowParams{Channel: "@talks"})
		if err != nil {
			return err
		}
		_, err = m.Follows.Pause(ctx, made.ID)
		return err
	}},
	"Webhooks": {[]string{"/v1/webhooks", "/v1/webhooks/"}, func(ctx context.Context, m *mounted) error {
		made, err := m.Webhooks.Create(ctx, webhook.Params{URL: "https://hooks.example/"})
		if err != nil {
			return err
		}
		_, err = m.Webhooks.Get(ctx, made.Webhook.ID)
		return err
	}},
	"Usage": {[]string{"/v1/usage"}, func(ctx context.Context, m *mounted) error {
		_, err := m.Usage.Get(ctx)
		return err
	}},
	"OpenAI": {[]string{"/v1/audio/", "/v1/models"}, func(ctx context.Context, m *mounted) error {
		return m.answers(ctx, http.MethodGet, "/v1/models", "")
	}},
	"MCP": {[]string{"/mcp"}, func(ctx context.Context, m *mounted) error {
		return m.answers(ctx, http.MethodPost, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)
	}},
	"Health": {[]string{"/healthz", "/readyz"}, func(ctx context.Context, m *mounted) error {
		if err := m.answers(ctx, http.MethodGet, "/healthz", ""); err != nil {
			return err
		}
		return m.answers(ctx, http.MethodGet, "/readyz", "")
	}},
	"Docs": {[]string{"/docs", "/docs/"}, func(ctx context.Context, m *mounted) error {
		if err := m.answers(ctx, http.MethodGet, "/docs", ""); err != nil {
			return err
		}
		return m.answers(ctx, http.MethodGet, "/docs/openapi.json", "")
	}},
	"Metrics": {[]string{"/metrics"}, func(ctx context.Context, m *mounted) error { return m.answers(ctx, http.MethodGet, "/metrics", "") }},
}

// upload sends a file that is large enough to go on after a break, and watches its job.
func uploadTo(ctx context.Context, m *mounted) error {
	file := bytes.Repeat([]byte(m.url), 20<<20/len(m.url))
	source := transcript.Media("talk.mp3", int64(len(file)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil })
	_, job, err := m.Transcripts.Submit(ctx, transcript.Request{Source: source})
	if err != nil || job == nil {
		return err
	}
	_, err = m.Jobs.Wait(ctx, job.JobID)
	return err
}

// Each part serves a program that mounts it alone, at the root of a site and under a prefix.
func TestEachPartAlone(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/media"} {
		s := servertest.New(t, servertest.Configure(func(c *server.Config) { c.BasePath = prefix }))
		all, err := client.New(s.URL, client.WithAPIKey(s.Key))
		require.NoError(t, err)
		for name, part := range mounts {
			t.Run(prefix+"/"+name, func(t *testing.T) {
				t.Parallel()
				handler := reflect.ValueOf(s.Server).MethodByName(name).Call(nil)[0].Interface().(http.Handler)
				site := http.NewServeMux()
				for _, pattern := range part.patterns {
					site.Handle(prefix+pattern, http.StripPrefix(prefix, handler))
				}
				web := httptest.NewServer(site)
				t.Cleanup(web.Close)
				c, err := client.New(web.URL+prefix, client.WithAPIKey(s.Key))
				require.NoError(t, err)
				assert.NoError(t, part.use(t.Context(), &mounted{Client: c, url: web.URL + prefix, all: all, service: s}))
			})
		}
	}
}

// The package's comment names every part, and the comment of a part names the patterns that a mux
// needs.
func TestEachPartIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	source, err := parser.ParseFile(token.NewFileSet(), "mounts.go", nil, parser.ParseComments)
	require.NoError(t, err)
	comments := map[string]string{}
	for _, declared := range source.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok {
			comments[f.Name.Name] = f.Doc.Text()
		}
	}
	for method := range reflect.TypeFor[*server.Server]().Methods() {
		if method.Type != reflect.TypeFor[func(*server.Server) http.Handler]() {
			continue
		}
		part, known := mounts[method.Name]
		require.True(t, known, "a row is missing for %s", method.Name)
		assert.Contains(t, string(doc), "[Server."+method.Name+"]")
		if method.Name == "Handler" || method.Name == "Metrics" {
			continue // the first is the whole API, and the second serves any path
		}
		for _, pattern := range part.patterns {
			assert.Contains(t, comments[method.Name], `"`+pattern+`"`, method.Name)
		}
	}
}
