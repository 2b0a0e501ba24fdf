package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// state is a page in the state in which its user's session ends. All values are scripts, except
// typed, which has what is typed into fields, by their selectors.
type state struct {
	at    string // the path of the page
	begin string // brings the page into the state; empty: nothing does
	ready string // is true in the state
	typed map[string]string
	act   string // does something for which the page asks the service; empty: the page asks by itself
	after string // is true after the sign-in
}

// click presses a button or a link.
func click(selector string) string {
	return "document.querySelector(" + browsertest.Quote(selector) + ").click()"
}

// submit sends a form, as its first button does.
func submit(selector string) string {
	return "document.querySelector(" + browsertest.Quote(selector) + ").requestSubmit()"
}

// shows is true while an element has a text.
func shows(selector, text string) string {
	return "document.querySelector(" + browsertest.Quote(selector) + ")?.textContent.includes(" + browsertest.Quote(text) + ")"
}

// Wherever the session of a user ends, and whatever the page is doing, the page asks for a sign-in in
// the user's language. Then the user is on the same page again, or the form is sent, and everything that
// was typed is there.
func TestBrowserLosesNothingWithASession(t *testing.T) {
	t.Parallel()
	f := furnishSessions(t)
	for _, language := range []struct{ choose, told, ended string }{
		{"en", "You are signed out.", "Your session has ended."},
		{"de", "Du bist abgemeldet.", "Deine Sitzung ist zu Ende."},
	} {
		if language.choose != "en" {
			f.Open("/")
			f.Do(chromedp.Click(`.foot button[value="` + language.choose + `"]`))
			f.Wait(`document.documentElement.lang === ` + browsertest.Quote(language.choose))
		}
		for name, of := range f.live(t) {
			t.Log(language.choose, name)
			f.enter(of)
			f.endSession(t)
			f.do(of.act)
			f.WaitText("#notices", language.told)
			f.Do(chromedp.Click("#notices button"))
			f.WaitAt(`^/sign-in\?next=`)
			f.signInAgain("ann")
			f.Wait(`location.pathname + location.search === ` + browsertest.Quote(strings.Split(of.at, "#")[0]) + ` && document.readyState === "complete"`)
			f.hasTyped(t, name, of)
		}
		for name, of := range f.forms(t, language.choose) {
			t.Log(language.choose, name)
			f.enter(of)
			f.endSession(t)
			f.do(of.act)
			f.WaitText("main", language.ended)
			f.signInAgain("ann")
			f.Wait(of.after)
		}
		for _, at := range []string{"/library?q=sea", "/usage", "/discover", "/webhooks", "/follows", "/account", "/keys", "/feed", f.text} {
			f.endSession(t)
			f.Open(at)
			if at == f.text { // guests may read some texts: the page offers the sign-in
				f.Do(chromedp.Click(`main a[href^="/sign-in?next="]`))
			}
			f.WaitAt(`^/sign-in\?next=`)
			f.signInAgain("ann")
			f.Wait(`location.pathname + location.search === ` + browsertest.Quote(at))
		}
	}
}

// A file that the session's end has stopped is sent from the same page, once its user has signed in on
// another tab.
func TestBrowserSendsAFileAfterTheSession(t *testing.T) {
	t.Parallel()
	f := &sessions{furnished: furnish(t, "A talk about the sea")}
	f.Expect(`log: .* status of 401 .*`)
	f.Open("/")
	f.endSession(t)
	f.Do(chromedp.SetUploadFiles("#files", []string{recordingPath(t)}))
	f.WaitText("#queue", "You are signed out.")
	tab := &sessions{furnished: &furnished{Page: f.Tab(), website: f.website}}
	tab.Open("/sign-in")
	tab.signInAgain("ann")
	f.Click("button", "Try again")
	f.WaitAt(`^/(jobs|transcripts)/`)
}

// A user who signs in on the tab of another user does not see what the other user has typed.
func TestBrowserShowsNobodyElseWhatWasTyped(t *testing.T) {
	t.Parallel()
	f := &sessions{furnished: furnish(t, "A talk about the sea")}
	f.Expect(`log: .* status of 401 .*`)
	_, err := f.visitors.AddUser(t.Context(), "bob", password)
	require.NoError(t, err)
	for _, user := range []string{"bob", "ann"} {
		f.enter(state{at: "/library", typed: map[string]string{"#q": "typed words"}})
		f.endSession(t)
		f.do(click("form.star button"))
		f.WaitText("#notices", "You are signed out.")
		f.Do(chromedp.Click("#notices button"))
		f.WaitAt(`^/sign-in\?next=`)
		f.signInAgain(user)
		f.WaitAt(`^/library$`)
		if user == "ann" {
			f.Wait(`document.getElementById("q").value === "typed words"`)
			break
		}
		assert.Empty(t, browsertest.Eval[string](f.Page, `document.getElementById("q").value`))
		f.Open("/account")
		f.Click("button", "Sign out")
		f.WaitAt(`^/$`)
		signIn(f.Page, "ann", password)
		f.WaitAt(`^/$`)
	}
	assert.Equal(t, 0, browsertest.Eval[int](f.Page, `sessionStorage.length`))
}

// recordingPath is the whole path of the recording.
func recordingPath(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(recording)
	require.NoError(t, err)
	return path
}

// sessions is a furnished website in whose pages sessions end.
type sessions struct {
	*furnished
	recording string // the path of a text with a recording
	job       string // the path of a job that goes on
	goesOn    string // the path of a batch that goes on
	webhook   string // the path of a webhook
	file      string // a text that can be imported
}

func furnishSessions(t *testing.T) *sessions {
	t.Helper()
	f := &sessions{furnished: furnish(t, "A talk about the sea")}
	f.Expect(`log: .* status of (40[0-9]|42[0-9]|50[0-9]) .*`, `.*net::ERR_ABORTED.*`)
	f.file = filepath.Join(t.TempDir(), "talk.srt")
	require.NoError(t, os.WriteFile(f.file, []byte("1\n00:00:00,000 --> 00:00:01,000\nhello sea\n"), 0o600))
	result, err := f.api.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.Media("kept.ogg", -1, talk(t, "kept")), KeepMedia: time.Hour})
	require.NoError(t, err)
	f.recording = "/transcripts/upload/" + result.Transcript.ExternalID + "?language=" + result.Transcript.Lang
	f.recognizer.hold()
	nothing := time.Duration(0)
	_, job, err := f.api.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.Media("held.ogg", -1, talk(t, "held")), Wait: &nothing})
	require.NoError(t, err)
	f.job = "/jobs/" + job.JobID
	made, err := f.api.Batches.Create(t.Context(), client.BatchParams{URLs: []string{f.videos.link(sitetest.NoTracks)}})
	require.NoError(t, err)
	f.goesOn = "/batches/" + made.ID
	hook, err := f.api.Webhooks.Create(t.Context(), webhook.Params{URL: "https://receiver.example/hook"})
	require.NoError(t, err)
	f.webhook = "/webhooks/" + hook.Webhook.ID
	return f
}

// live are the states in which a module of the page learns of the end.
func (f *sessions) live(t *testing.T) map[string]state {
	t.Helper()
	return map[string]state{
		"a star in the library": {at: "/library", typed: map[string]string{"#q": "typed words"}, act: click("form.star button")},
		"a deletion in the library": {
			at: "/library", typed: map[string]string{"#q": "typed words"},
			act: click("[data-row] [data-delete]") + `; dispatchEvent(new Event("pagehide"))`,
		},
		"a star of a text":        {at: f.text, typed: map[string]string{"#language": "fr"}, act: click("form.star button")},
		"a copy of a text":        {at: f.text, typed: map[string]string{"#language": "fr"}, act: click("#export-copy")},
		"the languages of a text": {at: f.text, act: `document.getElementById("languages").open = true`},
		"the editor": {
			at: f.text, ready: `document.querySelector("#text [contenteditable]")`, act: `const words = document.querySelector("#text [contenteditable]"); words.textContent += " and the typed sea"; words.dispatchEvent(new Event("input", {bubbles: true}))`,
			after: `document.getElementById("edit-state").dataset.is === "saved" && ` + shows("#text", "and the typed sea"),
		},
		"the player":            {at: f.recording, act: `document.getElementById("audio").src += "&again=1"`},
		"a job that goes on":    {at: f.job, ready: `document.getElementById("job")`, act: `dispatchEvent(new Event("online"))`},
		"a batch that goes on":  {at: f.goesOn, ready: `document.getElementById("batch")`},
		"files that are queued": {at: "/", typed: map[string]string{"#links": "https://typed.example/link"}, act: `document.getElementById("links").focus()`, begin: f.recall()},
	}
}

// recall is a script that has the start page follow a file that was accepted before.
func (f *sessions) recall() string {
	job := strings.TrimPrefix(f.job, "/jobs/")
	return `sessionStorage.setItem("files", JSON.stringify({account: "ann", files: [{name: "held.ogg", job: "` + job + `"}]}))`
}

// forms are the states in which a form is sent after the end.
func (f *sessions) forms(t *testing.T, language string) map[string]state {
	t.Helper()
	on := func(page string) string { return strings.Replace(f.text, "?", page+"?", 1) }
	return map[string]state{
		"a link":         {at: "/", typed: map[string]string{"#links": f.videos.link(sitetest.TwoTracks)}, act: submit("#paste"), after: `/^\/(transcripts|jobs)\//.test(location.pathname) && document.body.dataset.account === "ann"`},
		"no link":        {at: "/", typed: map[string]string{"#links": "typed words without a link"}, act: submit("#paste"), after: `document.getElementById("links")?.value === "typed words without a link" && document.getElementById("trouble")`},
		"many links":     {at: "/", typed: map[string]string{"#links": f.videos.link(sitetest.TwoTracks) + " " + f.videos.link(sitetest.NoMedia)}, act: submit("#paste"), after: `/^\/batches\/./.test(location.pathname)`},
		"a batch":        {at: "/batches", begin: `document.querySelector(".new").open = true`, typed: map[string]string{"#links": f.videos.link(sitetest.TwoTracks), "#language": "en, de"}, act: submit("#new-batch"), after: `/^\/batches\/./.test(location.pathname)`},
		"a bad batch":    {at: "/batches", begin: `document.querySelector(".new").open = true`, typed: map[string]string{"#links": "typed", "#language": "%%"}, act: submit("#new-batch"), after: `document.querySelector("#links").value === "typed" && document.querySelector("#language").value === "%%"`},
		"a retry":        {at: f.batch, ready: `document.querySelector('form[action$="/retry"]')`, act: submit(`form[action$="/retry"]`), after: `/^\/batches\/.*retried/.test(location.pathname + location.search)`},
		"a follow":       {at: "/follows", typed: map[string]string{"#link": "typed words"}, act: submit(`form[action="/follows"]`), after: `document.getElementById("link").value === "typed words"`},
		"a webhook":      {at: "/webhooks", begin: `document.querySelector(".new").open = true`, typed: map[string]string{"#url": "typed words", "#description": "typed"}, act: submit(`form[action="/webhooks"]`), after: `document.getElementById("url").value === "typed words" && document.getElementById("description").value === "typed"`},
		"a paused one":   {at: f.webhook, act: `document.querySelector('form:is([action$="/pause"], [action$="/resume"])').requestSubmit()`, after: `location.pathname === ` + browsertest.Quote(f.webhook)},
		"a key":          {at: "/keys", typed: map[string]string{"#name": "typed " + language}, act: submit(`form[action="/keys"]`), after: `document.getElementById("secret") && ` + shows("#made bdi", "typed "+language)},
		"a feed":         {at: "/feed", act: submit(`form[action="/feed"]`), after: `document.getElementById("secret")`},
		"a share":        {at: on("/share"), act: submit(`form[action*="/share"]`), after: `document.getElementById("secret")`},
		"lines":          {at: on("/edit"), typed: map[string]string{"textarea[name=text]": " typed " + language}, act: submit(`form[action*="/edit"]`), after: `location.search.includes("done=1") && document.querySelector("textarea[name=text]").value.includes("typed ` + language + `")`},
		"a name":         {at: on("/edit"), typed: map[string]string{"#name-0": " typed " + language}, act: submit(`form[action*="/speakers"]`), after: `location.search.includes("done=1") && document.getElementById("name-0").value.includes("typed ` + language + `")`},
		"an import":      {at: "/library/import", begin: `0`, typed: map[string]string{"#lang": "nl"}, act: submit(`form[action="/library/import"]`), after: `document.getElementById("lang")?.value === "nl" && document.getElementById("file-trouble")`},
		"a language":     {at: f.text, begin: `document.getElementById("languages").open = true`, typed: map[string]string{"#language": "%% typed"}, act: `document.getElementById("language").form.requestSubmit()`, after: `document.querySelector("main [name=language]")?.value === "%% typed"`},
		"other sessions": {at: "/account", act: submit(`form[action="/account/sessions"]`), after: `location.search === "?done=sessions"`},
		"a password": {
			at: "/account", typed: map[string]string{"#password": "typed secret", "#next": "typed secret 2", "#again": "typed secret 2"}, act: submit(`form[action="/account/password"]`),
			after: `location.pathname === "/account" && !document.documentElement.innerHTML.includes("typed secret")`,
		},
	}
}

// enter brings the page into a state.
func (f *sessions) enter(of state) {
	f.Open(strings.Split(of.at, "#")[0])
	if of.begin != "" {
		f.do(of.begin)
	}
	if strings.HasPrefix(of.begin, "sessionStorage") {
		f.Reload()
	}
	if strings.Contains(of.at, "#") {
		f.do(click("#correct"))
	}
	if of.ready != "" {
		f.Wait(of.ready)
	}
	for selector, text := range of.typed {
		f.do(`for (let fold = document.querySelector(` + browsertest.Quote(selector) + `).closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true`)
		f.Do(chromedp.SendKeys(selector, text))
	}
}

// do runs a script that may leave the page.
func (f *sessions) do(script string) {
	if script != "" {
		browsertest.Eval[any](f.Page, `setTimeout(() => { `+script+` }), 0`)
	}
}

// endSession ends all sessions of ann, as another browser of hers can.
func (f *sessions) endSession(t *testing.T) {
	t.Helper()
	require.NoError(t, f.visitors.SetPassword(t.Context(), "ann", password))
}

func (f *sessions) signInAgain(name string) {
	f.Wait(`document.querySelector('form[action="/sign-in"]') && document.readyState === "complete"`)
	browsertest.Eval[any](f.Page, `document.getElementById("name").value = `+browsertest.Quote(name)+`, 0`)
	f.Do(chromedp.SendKeys("#password", password))
	f.do(submit(`form[action="/sign-in"]`))
	f.Wait(`!document.querySelector('form[action="/sign-in"]') && document.readyState === "complete"`)
}

func (f *sessions) hasTyped(t *testing.T, name string, of state) {
	t.Helper()
	if of.after != "" {
		f.Wait(of.after)
		return
	}
	for selector, text := range of.typed {
		assert.Equal(t, text, browsertest.Eval[string](f.Page, `document.querySelector(`+browsertest.Quote(selector)+`).value`), name)
	}
}
