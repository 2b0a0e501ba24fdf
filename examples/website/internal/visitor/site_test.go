package visitor_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// site is a website on a service with a scripted engine.
type site struct {
	*servertest.Server
	visitors *visitor.Visitors
	options  store.Options
	url      string
	web      *httptest.Server
	before   func() // is called when a request is identified and has not reached the API; nil: nothing
}

// newSite serves a website on a database, until the test ends.
func newSite(t *testing.T, o store.Options, change ...func(*visitor.Options)) *site {
	t.Helper()
	s := &site{options: o}
	settings := visitor.Options{Database: o.Database, SignUp: true, GuestLinks: 3, Now: atNoon}
	free := account.Plan{Name: "free", RateLimit: account.RateLimit{}, TranscriptsPerPeriod: 5, CacheTTL: account.Unlimited, EventStreams: 5}
	s.Server = servertest.New(t, servertest.OnPlan(account.WithoutLimits("test"), free),
		servertest.ConfigureStore(func(at *store.Options) { *at = o }),
		servertest.Configure(func(c *server.Config) {
			settings.Accounts, settings.Keys = c.Accounts, server.KeyAuthenticator(c.Accounts, nil)
			for _, change := range change {
				change(&settings)
			}
			s.visitors = open(t, settings)
			c.Authenticator, c.Admit = s.visitors, s.visitors.Admit
		}))
	s.serve(t, s.visitors)
	return s
}

// second is another process of the website on the same database: its visitors, and a
// server in front of the same service, which asks them.
func (s *site) second(t *testing.T, o store.Options) *site {
	t.Helper()
	return s.at(t, open(t, visitor.Options{
		Database: o.Database, Accounts: s.Accounts, Keys: server.KeyAuthenticator(s.Accounts, nil), SignUp: true, GuestLinks: 3, Now: atNoon,
	}))
}

// at is the website with other visitors, in front of the same service.
func (s *site) at(t *testing.T, v *visitor.Visitors) *site {
	t.Helper()
	another := &site{Server: s.Server, visitors: v, options: s.options}
	another.serve(t, v)
	return another
}

var noon = time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)

// atNoon is the clock by which visitors are counted: no period ends during a test.
func atNoon() time.Time { return noon }

func open(t *testing.T, o visitor.Options) *visitor.Visitors {
	t.Helper()
	v, err := visitor.New(context.WithoutCancel(t.Context()), o)
	require.NoError(t, err)
	v.HashAt(64, 1) // a thousandth of what it costs
	t.Cleanup(func() { require.NoError(t, v.Close()) })
	return v
}

func (s *site) serve(t *testing.T, v *visitor.Visitors) {
	t.Helper()
	permitted := v.Permit(s.Server.Server)
	pages, err := page.New(web.Options{API: permitted, Visitors: v, Accounts: s.Accounts})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/v1/", s.Handler())
	mux.Handle("/web/v1/", v.Identify(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.before != nil {
			s.before()
		}
		http.StripPrefix("/web", permitted).ServeHTTP(w, r)
	})))
	mux.Handle("/", v.Identify(pages))
	s.web = httptest.NewServer(mux)
	t.Cleanup(s.web.Close)
	s.url = s.web.URL
}

// browser is somebody with cookies.
type browser struct {
	t    *testing.T
	site *site
	jar  http.CookieJar
	send func(*http.Request) // what every request is given besides; nil: nothing
}

func (s *site) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t: t, site: s, jar: jar}
}

// at is the same browser at another process.
func (b *browser) at(s *site) *browser {
	b.t.Helper()
	here, err := url.Parse(b.site.url)
	require.NoError(b.t, err)
	there, err := url.Parse(s.url)
	require.NoError(b.t, err)
	other := s.browser(b.t)
	other.jar.SetCookies(there, b.jar.Cookies(here))
	return other
}

// answer is what came back, read whole.
type answer struct {
	*http.Response
	body string
}

func (b *browser) do(method, path, contentType, body string, change ...func(*http.Request)) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(b.t.Context()), method, b.site.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if b.send != nil {
		b.send(r)
	}
	for _, change := range change {
		change(r)
	}
	c := http.Client{Jar: b.jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	require.NoError(b.t, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return answer{res, string(all)}
}

func (b *browser) get(path string, change ...func(*http.Request)) answer {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", "", change...)
}

// form sends a form: names and values in turn.
func (b *browser) form(path string, fields ...string) answer {
	b.t.Helper()
	form := url.Values{}
	for n := 0; n < len(fields); n += 2 {
		form.Set(fields[n], fields[n+1])
	}
	return b.do(http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode())
}

// extract asks the site for a link's transcript, as its modules do.
func (b *browser) extract(id string, change ...func(*http.Request)) answer {
	b.t.Helper()
	return b.do(http.MethodPost, "/web/v1/transcript", "application/json", `{"platform":"video_site","externalId":"`+id+`","waitMs":0}`, change...)
}

// cookie is one of the browser's; nil: it has none of the name.
func (b *browser) cookie(name string) *http.Cookie {
	b.t.Helper()
	at, err := url.Parse(b.site.url)
	require.NoError(b.t, err)
	for _, c := range b.jar.Cookies(at) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (b *browser) setCookie(name, value string) {
	b.t.Helper()
	at, err := url.Parse(b.site.url)
	require.NoError(b.t, err)
	b.jar.SetCookies(at, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// signedUp is a browser whose user has just signed up.
func (s *site) signedUp(t *testing.T, name string) *browser {
	t.Helper()
	b := s.browser(t)
	a := b.form("/sign-up", "name", name, "password", password)
	require.Equal(t, http.StatusSeeOther, a.StatusCode, a.body)
	return b
}

const password = "correct horse battery"

// known reports whether the browser is signed in.
func (b *browser) known() bool {
	b.t.Helper()
	a := b.get("/account")
	return a.StatusCode == http.StatusOK
}

// each runs a test with a website on each database.
func each(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	storetest.Each(t, test)
}

// onSQLite is a website on an empty SQLite database.
func onSQLite(t *testing.T, change ...func(*visitor.Options)) *site {
	t.Helper()
	return newSite(t, storetest.SQLite(t), change...)
}

func video(n int) string { return "aaaaaaaaa" + string(rune('a'+n/26)) + string(rune('a'+n%26)) }
