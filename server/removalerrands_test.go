package server_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
)

// errands are what the clients of an account do which is removed meanwhile.
var errands = map[string]errand{
	"a link, and its job": func(v *asker) {
		job := v.text(v.post("/v1/transcript", v.link(v.next(), `"waitMs":0`)), "jobId")
		v.get("/v1/transcript/job/" + job)
		v.get("/v1/transcript/job/" + job + "/events") // to its end
	},
	"a link that is waited for, by a key": func(v *asker) {
		n := v.next()
		for range 2 {
			v.post("/v1/transcript", v.link(n, `"waitMs":10000`), header("Idempotency-Key", fmt.Sprint("key ", n)))
		}
		v.ask(http.MethodDelete, savedLink(n), "")
	},
	"links of another account": func(v *asker) { v.post("/v1/transcript", v.link(v.town.shared.Load(), `"waitMs":10000`)) },
	"a cancelled job": func(v *asker) {
		job := v.text(v.upload(field("waitMs", "0")), "jobId")
		v.ask(http.MethodPost, "/v1/transcript/job/"+job+"/cancel", "")
		v.get("/v1/transcript/job/" + job)
	},
	"an upload":   func(v *asker) { v.upload(field("waitMs", "10000")) },
	"a recording": (*asker).recording,
	"an upload in parts": func(v *asker) {
		file := v.file()
		first, rest := file[:10], file[10:]
		at := v.ask(http.MethodPost, "/v1/transcript?waitMs=10000", first, rawFile, complete(false)).Header.Get("Location")
		if at == "" {
			return // the account is being removed
		}
		v.ask(http.MethodHead, at, "")
		v.ask(http.MethodPatch, at, rest, header("Content-Type", resumable.Partial), header(resumable.Offset, strconv.Itoa(len(first))), complete(true))
	},
	"an upload that pauses": func(v *asker) {
		if at := v.ask(http.MethodPost, "/v1/transcript", v.file(), rawFile, complete(false)).Header.Get("Location"); at != "" {
			v.ask(http.MethodDelete, at, "")
		}
		v.ask(http.MethodPost, "/v1/transcript", v.file(), rawFile, complete(false)) // and never ends
	},
	"a batch": func(v *asker) {
		n := v.next()
		id := v.text(v.post("/v1/batch", ofLinks(videoOf(int(n), 1), videoOf(int(n), 2), videoOf(int(n), 3))), "batch", "id")
		v.get(batchPath(id) + "?waitMs=10000&maxResults=500")
		v.get("/v1/batch")
		v.ask(http.MethodGet, batchPath(id)+"/export?format=txt", "")
	},
	"a batch that ends early": func(v *asker) {
		n := v.next()
		id := v.text(v.post("/v1/batch", ofLinks(videoOf(int(n), 1), videoOf(int(n), 2))), "batch", "id")
		v.ask(http.MethodPost, batchPath(id)+"/cancel", "")
		v.ask(http.MethodDelete, batchPath(id), "")
	},
	"a webhook": func(v *asker) {
		id := v.text(v.post("/v1/webhooks", v.webhook()), "webhook", "id")
		delivery := v.text(v.post("/v1/webhooks/"+id+"/test", ""), "delivery", "id")
		v.ask(http.MethodPost, "/v1/webhooks/"+id+"/deliveries/"+delivery+"/resend", "")
		v.get("/v1/webhooks/" + id + "/deliveries")
		v.upload(field("waitMs", "10000")) // whose event goes to the webhook
		v.ask(http.MethodDelete, "/v1/webhooks/"+id, "")
	},
	"a follow": func(v *asker) {
		id := v.text(v.post("/v1/follows", v.follow()), "follow", "id")
		v.get("/v1/follows/" + id + "/items")
		v.ask(http.MethodPatch, "/v1/follows/"+id, `{"status":"paused"}`, sendsJSON)
		v.ask(http.MethodDelete, "/v1/follows/"+id, "")
	},
	"a correction": func(v *asker) {
		n := v.next()
		v.post("/v1/transcript", v.link(n, `"waitMs":10000`))
		v.ask(http.MethodPatch, savedLink(n), `{"segments":[{"index":0,"text":"Only `+v.name+` says this."}]}`, sendsJSON, header("If-Match", "*"))
		v.get(savedLink(n) + "/revisions")
		v.ask(http.MethodPost, savedLink(n)+"/revisions/1/restore", "", header("If-Match", "*"))
		v.ask(http.MethodPut, savedLink(n)+"/star", "")
	},
	"the library": func(v *asker) {
		for _, path := range []string{"/v1/library/transcripts", "/v1/library/search?q=everybody", "/v1/usage", "/v1/follows", "/v1/webhooks"} {
			v.get(path)
		}
	},
	"a shared link": func(v *asker) {
		n := v.next()
		v.post("/v1/transcript", v.link(n, `"waitMs":10000`))
		v.open(v.text(v.post(sharesOf("video_site/"+videoOf(int(n))), ""), "share", "url"))
		v.open(v.text(v.ask(http.MethodPut, "/v1/feed", ""), "url"))
	},
	"a model": func(v *asker) {
		v.ask(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_transcript","arguments":{"url":"`+videoOf(int(v.next()))+`"}}}`,
			sendsJSON, header("Accept", "application/json, text/event-stream"))
	},
	"a program for OpenAI's API": func(v *asker) {
		data, contentType := form(v.t, part{name: "model", content: "whisper-1"}, file(v.file()))
		v.ask(http.MethodPost, "/v1/audio/transcriptions", string(data), header("Content-Type", contentType))
	},
	"captions": func(v *asker) { v.get("/v1/video_site/captions?videoId=" + videoOf(int(v.next()))) },
}

// sendsJSON tells that the body is JSON.
var sendsJSON = with("Content-Type", "application/json")

// open reads an address as somebody without a key.
func (v *asker) open(address string) {
	if address != none {
		v.ask(http.MethodGet, address, "", as(""))
	}
}

func (v *asker) next() int64 { return v.town.number.Add(1) }

func (v *asker) get(path string) *answer { return v.ask(http.MethodGet, path, "") }

func (v *asker) post(path, body string, changes ...change) *answer {
	if body != "" {
		changes = append(changes, sendsJSON)
	}
	return v.ask(http.MethodPost, path, body, changes...)
}

// link is the body of a request for a link.
func (v *asker) link(n int64, wish string) string {
	return `{"url":"https://video.example/watch?v=` + videoOf(int(n)) + `",` + wish + `}`
}

func savedLink(n int64) string { return libraryOf(int(n)) }

// file is a recording that has never been sent.
func (v *asker) file() string { return wav(fmt.Sprint("recording ", v.next())) }

func (v *asker) upload(fields ...part) *answer {
	data, contentType := form(v.t, append(fields, file(v.file()))...)
	return v.ask(http.MethodPost, "/v1/transcript", string(data), header("Content-Type", contentType))
}

// recording sends a recording that is kept, and reads it.
func (v *asker) recording() {
	content := v.file()
	data, contentType := form(v.t, field("waitMs", "10000"), field("keepMediaSec", "3600"), file(content))
	v.ask(http.MethodPost, "/v1/transcript", string(data), header("Content-Type", contentType))
	v.get(mediaPath(content))
}

func (v *asker) webhook() string {
	return `{"url":"http://` + v.town.receiver.address + "/" + v.name + `"}`
}

func (v *asker) follow() string {
	return `{"feed":"` + v.town.feed.feed() + `","maxItems":1,"language":"en"}`
}

// none is the id of nothing.
const none = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"

// text is a member of an answer; none: the answer is a refusal, because the account is being removed.
func (v *asker) text(a *answer, path ...string) string {
	var at any = a.object(v.t)
	for _, name := range path {
		members, _ := at.(map[string]any)
		at = members[name]
	}
	text, ok := at.(string)
	if !ok {
		assert.True(v.t, v.begun.Load(), "%s: no %s in %s", v.what, strings.Join(path, "."), a.body)
		return none
	}
	return text
}

// stayer is an account that stays, with what it expects to find again.
type stayer struct {
	*load
	texts      []int64 // numbers of links
	recordings []string
	jobs       []string
	share      string // the address of a shared link
}

// visit asks for a link that the other account also asks for, for a recording and for a batch.
func (r *stayer) visit(v *asker) {
	n := v.next()
	v.town.shared.Store(n)
	for _, wish := range []string{`"waitMs":0`, `"waitMs":10000`} {
		if job, ok := v.post("/v1/transcript", v.link(n, wish)).object(v.t)["jobId"].(string); ok {
			r.jobs = append(r.jobs, job)
		}
	}
	r.texts = append(r.texts, n)
	if r.share == "" {
		r.share = v.text(v.post(sharesOf("video_site/"+videoOf(int(n))), ""), "share", "url")
		v.post("/v1/webhooks", v.webhook())
		v.post("/v1/follows", v.follow())
	}
	content := v.file()
	data, contentType := form(v.t, field("waitMs", "10000"), field("keepMediaSec", "3600"), file(content))
	v.ask(http.MethodPost, "/v1/transcript", string(data), header("Content-Type", contentType))
	r.recordings = append(r.recordings, content)
	v.open(r.share)
}

// hasEverything asserts that the account has lost nothing.
func (r *stayer) hasEverything(t *testing.T) {
	t.Helper()
	s := r.town.services[0]
	has := func(path, what string, changes ...change) {
		t.Helper()
		a := s.get(t, path, changes...)
		assert.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", path, a.body)
		assert.Contains(t, a.body, what, path)
	}
	for _, n := range r.texts {
		has(savedLink(n), "Everybody says this.")
	}
	for _, content := range r.recordings {
		has(mediaPath(content), content)
	}
	for _, job := range r.jobs {
		has("/v1/transcript/job/"+job, `"status":"success"`)
	}
	has(r.share, "Everybody says this.", as(""))
	has("/v1/follows", `"status":"active"`)
	has("/v1/webhooks", `"status":"active"`)
	assert.Positive(t, r.town.receiver.of(r.name))
}
