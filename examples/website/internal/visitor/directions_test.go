package visitor_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

var loopbacks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// with gives every request a header.
func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// What browsers have opens nothing for programs, and what programs have nothing for
// browsers, in whatever way it is sent.
func TestKeysAndCookiesOpenTheirOwnDoors(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	user, guest := s.signedUp(t, "ada"), s.browser(t)
	job := jobOf(t, guest.extract(video(0)))
	key := s.Key
	bearer, header := with("Authorization", "Bearer "+key), with("X-API-Key", key)

	t.Run("a key is for /v1", func(t *testing.T) {
		for _, send := range []func(*http.Request){bearer, header} {
			assert.Equal(t, http.StatusOK, s.browser(t).get("/v1/usage", send).StatusCode)
		}
	})
	t.Run("cookies open no /v1", func(t *testing.T) {
		for _, b := range []*browser{user, guest, s.browser(t)} {
			for _, path := range []string{"/v1/usage", "/v1/transcript/job/" + job, "/v1/transcript/job/" + job + "/events", "/v1/library/transcripts"} {
				assert.Equal(t, http.StatusUnauthorized, b.get(path).StatusCode, path)
			}
			assert.Equal(t, http.StatusUnauthorized, b.do(http.MethodPost, "/v1/transcript", "application/json", `{"platform":"video_site","externalId":"aaaaaaaaaaa"}`).StatusCode)
			for name, session := range map[string]*http.Cookie{"session": b.cookie("session"), "guest": b.cookie("guest")} {
				if session == nil {
					continue
				}
				for _, send := range []func(*http.Request){with("Authorization", "Bearer "+session.Value), with("X-API-Key", session.Value)} {
					assert.Equal(t, http.StatusUnauthorized, s.browser(t).get("/v1/usage", send).StatusCode, name)
				}
			}
		}
	})
	t.Run("a key beside a cookie is the key's account", func(t *testing.T) {
		assert.Equal(t, http.StatusOK, user.get("/v1/usage", bearer).StatusCode)
		assert.Equal(t, http.StatusNotFound, guest.get("/v1/transcript/job/"+job, bearer).StatusCode)
	})
	t.Run("a key opens no page, and takes no allowance", func(t *testing.T) {
		for _, send := range []func(*http.Request){bearer, header, with("Authorization", "bearer nonsense"), with("X-Api-Key", ""), with("Authorization", "Token "+key)} {
			for _, b := range []*browser{user, guest, s.browser(t)} {
				for _, path := range []string{"/", "/account", "/web/v1/usage", "/web/v1/transcript/job/" + job} {
					assert.Equal(t, http.StatusUnauthorized, b.get(path, send).StatusCode, path)
				}
				a := b.extract(video(1), send)
				assert.Equal(t, http.StatusUnauthorized, a.StatusCode, a.body)
				assert.Empty(t, a.Header.Get("Set-Cookie"))
			}
		}
	})
	t.Run("a key in a query opens nothing", func(t *testing.T) {
		for _, b := range []*browser{user, guest, s.browser(t)} {
			for _, path := range []string{"/v1/usage", "/web/v1/usage", "/", "/web/v1/transcript/job/" + job} {
				for _, query := range []string{"?key=" + key, "?a=%74%72_" + key[3:], "?" + key} {
					assert.Equal(t, http.StatusUnauthorized, b.get(path+query).StatusCode, path+query)
				}
			}
		}
	})
	t.Run("a proxy's own sign-in is nobody's key", func(t *testing.T) {
		assert.Equal(t, http.StatusOK, user.get("/web/v1/usage", with("Authorization", "Basic YTpi")).StatusCode)
	})
	t.Run("nothing that a header says is who somebody is", func(t *testing.T) {
		for _, name := range []string{"X-User", "X-Account", "Remote-User", "X-Forwarded-User", "X-Shown-To"} {
			assert.Equal(t, http.StatusUnauthorized, s.browser(t).get("/web/v1/usage", with(name, "ada")).StatusCode)
		}
	})
	assert.Equal(t, 1, storetest.Count(t, s.options, "website_counts WHERE subject LIKE 'guest:%'"))
}

// A stream ends soon after the session that opened it.
func TestStreamsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	t.Cleanup(s.Engine.HoldCaptions())
	yes := true
	ends := map[string]func(b *browser, name string){
		"signed out": func(b *browser, _ string) { b.form("/sign-out") },
		"removed":    func(_ *browser, name string) { require.NoError(t, s.visitors.RemoveUser(t.Context(), name)) },
		"suspended": func(_ *browser, name string) {
			_, err := s.Accounts.Set(t.Context(), name, account.Settings{Suspended: &yes})
			require.NoError(t, err)
		},
		"another password": func(_ *browser, name string) {
			require.NoError(t, s.visitors.SetPassword(t.Context(), name, "another password"))
		},
	}
	n := 0
	for how, end := range ends {
		name := "u" + string(rune('0'+n))
		b := s.signedUp(t, name)
		job := jobOf(t, b.extract(video(n)))
		n++
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/web/v1/transcript/job/"+job+"/events", nil)
			require.NoError(t, err)
			res, err := (&http.Client{Jar: b.jar}).Do(r)
			require.NoError(t, err)
			defer res.Body.Close()
			require.Equal(t, http.StatusOK, res.StatusCode)
			lines := bufio.NewReader(res.Body)
			first, err := lines.ReadString('\n')
			require.NoError(t, err, first)
			end(b, name)
			rest, err := io.ReadAll(lines)
			require.NoError(t, err)
			assert.NotContains(t, string(rest), "job.completed")
			assert.Equal(t, http.StatusUnauthorized, b.get("/web/v1/transcript/job/"+job+"/events").StatusCode)
		})
	}
}

// What another site has a browser send is refused, whatever it is.
func TestOtherSitesSendNothing(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	b := s.signedUp(t, "ada")
	posts := []string{"/sign-in", "/sign-up", "/sign-out", "/account/password", "/account/sessions", "/transcripts", "/web/v1/transcript", "/web/v1/batch"}
	for _, path := range posts {
		for name, send := range map[string]func(*http.Request){
			"fetch metadata": with("Sec-Fetch-Site", "cross-site"), "same site": with("Sec-Fetch-Site", "same-site"),
			"origin": with("Origin", "https://evil.example"), "no origin": with("Origin", "null"),
		} {
			a := b.do(http.MethodPost, path, "application/x-www-form-urlencoded", "name=eve", send)
			assert.Equal(t, http.StatusForbidden, a.StatusCode, "%s by %s", path, name)
			assert.Empty(t, a.Header.Get("Set-Cookie"))
		}
	}
	assert.Equal(t, http.StatusForbidden, b.do(http.MethodDelete, "/web/v1/library/transcripts/video_site/x", "", "", with("Sec-Fetch-Site", "cross-site")).StatusCode)
	assert.True(t, b.known())
	assert.Equal(t, http.StatusAccepted, b.extract(video(0), with("Sec-Fetch-Site", "same-origin"), with("Origin", s.url)).StatusCode)
}

// A page elsewhere has nothing of this site loaded as a part of it, which would have the
// site ask others for what that page likes. People follow links all the same.
func TestOtherSitesLoadNothing(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) { o.SingleUser = true })
	b := s.browser(t)
	for _, path := range []string{"/library", "/discover?q=talks", "/web/v1/usage", "/web/v1/video_site/search?q=talks"} {
		for _, as := range []string{"image", "script", "iframe", "empty"} {
			for _, from := range []string{"cross-site", "same-site"} {
				a := b.get(path, with("Sec-Fetch-Site", from), with("Sec-Fetch-Dest", as))
				assert.Equal(t, http.StatusForbidden, a.StatusCode, "%s as %s %s", path, as, from)
			}
		}
	}
	for _, from := range []string{"cross-site", "same-site", "none", "same-origin"} {
		assert.Equal(t, http.StatusOK, b.get("/library", with("Sec-Fetch-Site", from), with("Sec-Fetch-Dest", "document")).StatusCode)
	}
	assert.Equal(t, http.StatusOK, b.get("/web/v1/usage", with("Sec-Fetch-Site", "same-origin"), with("Sec-Fetch-Dest", "empty")).StatusCode)
}

// A name that is not the site's own is refused, so that no page elsewhere becomes the same
// site by having its name lead here.
func TestNamesThatAreNotTheSites(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{false, true} {
		s := onSQLite(t, func(o *visitor.Options) { o.SingleUser, o.Hosts = single, []string{"transcripts.example.com"} })
		b := s.browser(t)
		for host, status := range map[string]int{
			"evil.example": http.StatusMisdirectedRequest, "evil.example:8082": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest,
			"localhost.evil.example": http.StatusMisdirectedRequest, "transcripts.example.com.evil.example": http.StatusMisdirectedRequest, "xlocalhost": http.StatusMisdirectedRequest,
			"transcripts.example.com": http.StatusOK, "Transcripts.Example.com:443": http.StatusOK, "localhost:8082": http.StatusOK, "a.localhost": http.StatusOK,
			"127.0.0.1": http.StatusOK, "[::1]:8082": http.StatusOK, "192.168.1.2:8082": http.StatusOK, "localhost.": http.StatusOK,
		} {
			for _, path := range []string{"/", "/web/v1/usage"} {
				a := b.get(path, func(r *http.Request) { r.Host = host })
				if path != "/" && !single && status == http.StatusOK {
					status = http.StatusUnauthorized
				}
				assert.Equal(t, status, a.StatusCode, "%s of %s", path, host)
			}
		}
	}
}

// Who says that a site is for one machine alone, and has a proxy lead others to it, is told.
func TestWhatAProxyPassesOn(t *testing.T) {
	t.Parallel()
	private, public := onSQLite(t, func(o *visitor.Options) { o.Private = true }), onSQLite(t)
	for _, header := range []string{"X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via"} {
		a := private.browser(t).get("/", with(header, "192.0.2.1"))
		assert.Equal(t, http.StatusForbidden, a.StatusCode, header)
		assert.Contains(t, a.body, "--trusted-proxy")
		assert.Equal(t, http.StatusOK, public.browser(t).get("/", with(header, "192.0.2.1")).StatusCode, header)
	}
	assert.Equal(t, http.StatusOK, private.browser(t).get("/").StatusCode)
}

func TestWhatBrowsersAreTold(t *testing.T) {
	t.Parallel()
	plain, https := onSQLite(t), onSQLite(t, func(o *visitor.Options) { o.HTTPS = true })
	for _, s := range []*site{plain, https} {
		b := s.browser(t)
		for _, a := range []answer{b.get("/"), b.get("/nothing"), b.get("/web/v1/usage"), b.get("/assets/x/base.css"), b.get("/", with("Sec-Fetch-Site", "cross-site")),
			b.get("/", func(r *http.Request) { r.Host = "evil.example" }), b.get("/", with("X-API-Key", "x")), b.form("/sign-in", "name", "x", "password", "x")} {
			h := a.Header
			for _, part := range []string{"default-src 'none'", "script-src 'self'", "media-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "require-trusted-types-for 'script'"} {
				assert.Contains(t, h.Get("Content-Security-Policy"), part)
			}
			assert.NotContains(t, h.Get("Content-Security-Policy"), "unsafe")
			assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
			assert.Equal(t, "same-origin", h.Get("Referrer-Policy"))
			assert.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"))
			assert.Equal(t, "same-origin", h.Get("Cross-Origin-Resource-Policy"))
			assert.NotEmpty(t, h.Get("Permissions-Policy"))
			assert.Equal(t, s == https, h.Get("Strict-Transport-Security") != "")
			if a.Request.URL.Path != "/assets/x/base.css" {
				assert.Contains(t, h.Get("Cache-Control"), "no-store", a.Request.URL.Path)
			}
			assert.Empty(t, h.Get("Access-Control-Allow-Origin"))
		}
	}
	b := https.browser(t)
	set := b.form("/sign-up", "name", "ada", "password", password).Header.Get("Set-Cookie")
	assert.Regexp(t, `^__Host-session=[^;]+; Path=/; .*HttpOnly; Secure; SameSite=Lax$`, set)
	set = https.browser(t).extract(video(0)).Header.Get("Set-Cookie")
	assert.Regexp(t, `^__Host-guest=[^;]+; Path=/; .*HttpOnly; Secure; SameSite=Lax$`, set)
	// A cookie of another name, which others could plant by http, is none.
	token := strings.TrimPrefix(set, "__Host-guest=")
	planted := https.browser(t)
	planted.send = with("Cookie", "guest="+token[:strings.IndexByte(token, ';')])
	assert.Equal(t, http.StatusUnauthorized, planted.get("/web/v1/transcript/job/x/cancel").StatusCode)
}

// The website writes to its tables while the service works on the same file.
func TestVisitorsBesideAWorkingService(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o, func(o *visitor.Options) { o.GuestLinks = 1000 })
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
		defer cancel()
		failed := make(chan answer, 100)
		done := make(chan struct{})
		const people, links = 4, 6
		for p := range people {
			b := s.browser(t)
			go func() {
				defer func() { done <- struct{}{} }()
				for n := range links {
					if a := b.extract(video(p*links + n)); a.StatusCode >= http.StatusInternalServerError {
						failed <- a
					}
					if a := b.get("/"); a.StatusCode != http.StatusOK {
						failed <- a
					}
				}
			}()
		}
		for range people {
			select {
			case <-done:
			case <-ctx.Done():
				t.Fatal("they are not done")
			}
		}
		close(failed)
		for a := range failed {
			t.Error(a.Status, a.body)
		}
		assert.Equal(t, people*links, storetest.Count(t, o, "jobs"))
	})
}
