package page_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(withBrowser{m})
}

// example is what the start page of a site offers to try.
const example = "https://youtu.be/dQw4w9WgXcQ"

// guestLinks is how many new transcripts a guest of a site may have.
const guestLinks = 3

// site is the pages as one visitor sees them, over a service whose engine says what the
// test wants.
//
//	s := newSite(t, visitor.User)
//	s.Engine.Say("four score and seven years ago")
//	res := s.post(t, "/transcripts", "links", "dQw4w9WgXcQ")
//	require.Equal(t, http.StatusSeeOther, res.status)
type site struct {
	*servertest.Server
	database string
	base     string // of the pages, without a slash at its end; the service is at URL
	browser  *http.Client
	visitors *visitor.Visitors
	pages    atomic.Pointer[http.Handler]

	before func(http.Handler) http.Handler // puts a test's own hand before the API; nil: none
}

// noon is the time by which guests are counted: no day ends during a test.
var noon = time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)

// newSite starts a service and its pages, which end with the test. A User is the only one
// of the site; else it is open to guests, and its browser becomes one by its first link.
func newSite(t *testing.T, who visitor.Kind, opts ...servertest.Option) *site {
	t.Helper()
	s := &site{}
	s.Server = servertest.New(t, append([]servertest.Option{
		servertest.ConfigureStore(func(o *store.Options) { s.database = o.Database }),
		servertest.Configure(func(c *server.Config) {
			var err error
			s.visitors, err = visitor.New(t.Context(), visitor.Options{
				Database: s.database, Accounts: c.Accounts, Keys: server.KeyAuthenticator(c.Accounts, slog.New(slog.DiscardHandler)),
				SingleUser: who == visitor.User, SignUp: true, GuestLinks: guestLinks, Now: func() time.Time { return noon },
			})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.visitors.Close()) })
			c.Authenticator, c.Admit = s.visitors, s.visitors.Admit
		}),
	}, opts...)...)
	s.build(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.pages.Load()).ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	s.base, s.browser = web.URL, web.Client()
	s.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var err error
	s.browser.Jar, err = cookiejar.New(nil)
	require.NoError(t, err)
	return s
}

// build puts the pages before the service as it is now.
func (s *site) build(t *testing.T) {
	t.Helper()
	s.change(t, func(*web.Options) {})
}

// change is build with other options.
func (s *site) change(t *testing.T, change func(*web.Options)) {
	t.Helper()
	permitted := s.visitors.Permit(s.Server.Server)
	if s.before != nil {
		permitted = s.before(permitted)
	}
	options := web.Options{
		API: permitted, Visitors: s.visitors, Accounts: s.Accounts, Export: s.export, Remove: s.remove, Example: example,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	change(&options)
	pages, err := page.New(options)
	require.NoError(t, err)
	all := http.NewServeMux()
	all.Handle("/web/v1/", http.StripPrefix("/web", permitted))
	all.Handle("/", pages)
	whole := s.visitors.Identify(all)
	s.pages.Store(&whole)
}

func (s *site) export(ctx context.Context, account string, w io.Writer) error {
	_, err := s.ExportAccount(ctx, account, w, server.ExportOptions{})
	return err
}

func (s *site) remove(ctx context.Context, account string) error {
	_, err := s.RemoveAccount(ctx, account)
	return err
}

// A guest who opens a page for users is led to sign in, and back to the page afterwards. A form of
// such a page leads there too, and changes nothing.
func TestPagesForThoseWhoSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	const batch, star = "/batches/01a20108-8c11-7c3e-9a55-2f6d1f0c9b11", "/library/transcripts/video_site/aaaaaaaaaaa/star"
	for _, path := range []string{
		"/batches", batch, "/keys", "/usage", "/feed", "/follows", "/follows/x", "/webhooks", "/webhooks/x", "/library?q=a%26b", "/library/export?all=yes&format=txt",
		"/discover", "/discover/channels/@talks", "/discover/playlists/PL1", "/account/export", sharePath, editPath,
	} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusSeeOther, got.status, path)
		assert.Equal(t, "/sign-in?next="+url.QueryEscape(path), got.header.Get("Location"), path)
	}
	for _, path := range []string{
		"/batches", batch + "/retry", batch + "/cancel", batch + "/delete", "/keys", "/keys/" + s.Key[:11] + "/revoke", "/feed", "/feed/delete", "/follows", "/follows/x/pause",
		"/follows/x/delete", "/webhooks", "/webhooks/x", "/webhooks/x/test", "/webhooks/x/delete", "/webhooks/x/resend", "/discover", star, "/account/remove",
		sharePath, strings.Replace(sharePath, "share", "share/x/end", 1), editPath, "/transcripts/video_site/dQw4w9WgXcQ/speakers",
	} {
		got := s.post(t, path, "from", "batch", "links", "dQw4w9WgXcQ", "name", "ci", "scope", "batches", "only", "aaaaaaaaaaa", "link", "@talks", "password", "a password")
		assert.Equal(t, http.StatusSeeOther, got.status, path)
		assert.Equal(t, "/sign-in", got.header.Get("Location"), path)
	}
	assert.Zero(t, s.Engine.Discoveries())
	_, err := s.Accounts.Verify(t.Context(), s.Key)
	assert.NoError(t, err)
}

// answered is what a page has answered, whole. Redirects are not followed.
type answered struct {
	status int
	header http.Header
	body   string
}

// get reads a page: get(t, "/library?view=starred").
func (s *site) get(t *testing.T, path string) answered {
	t.Helper()
	return s.send(t, http.MethodGet, path, "", nil)
}

// post sends a form with names and values in turn, as a browser on one of the site's
// pages does: post(t, "/transcripts", "links", "dQw4w9WgXcQ").
func (s *site) post(t *testing.T, path string, fields ...string) answered {
	t.Helper()
	form := url.Values{}
	for n := 0; n+1 < len(fields); n += 2 {
		form.Add(fields[n], fields[n+1])
	}
	return s.send(t, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// postFile sends a form with a file.
func (s *site) postFile(t *testing.T, path, name, content string, fields ...string) answered {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for n := 0; n+1 < len(fields); n += 2 {
		require.NoError(t, form.WriteField(fields[n], fields[n+1]))
	}
	file, err := form.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = io.WriteString(file, content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return s.send(t, http.MethodPost, path, form.FormDataContentType(), &body)
}

func (s *site) send(t *testing.T, method, path, contentType string, body io.Reader) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.base+path, body)
	require.NoError(t, err)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return s.do(t, req)
}

func (s *site) do(t *testing.T, req *http.Request) answered {
	t.Helper()
	res, err := s.browser.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answered{res.StatusCode, res.Header, string(whole)}
}
