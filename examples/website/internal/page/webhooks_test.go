package page_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hooks is a program that receives webhooks, and answers with a status.
type hooks struct {
	url    string
	status atomic.Int32
	got    chan received
}

type received struct {
	header http.Header
	body   []byte
}

// newHooked is a site whose service may send webhooks to a program.
func newHooked(t *testing.T) (*site, *hooks) {
	t.Helper()
	h := &hooks{got: make(chan received, 100)}
	h.status.Store(http.StatusNoContent)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		h.got <- received{r.Header, body}
		w.WriteHeader(int(h.status.Load()))
	}))
	t.Cleanup(web.Close)
	h.url = web.URL
	return newSite(t, visitor.User, servertest.Configure(func(c *server.Config) {
		c.Egress.Allow = []string{strings.TrimPrefix(web.URL, "http://")}
	})), h
}

// next checks the next request with a secret, and returns its event.
func (h *hooks) next(t *testing.T, secret string) *webhook.Event {
	t.Helper()
	select {
	case r := <-h.got:
		event, err := client.VerifyWebhook([]string{secret}, r.header, r.body)
		require.NoError(t, err)
		return event
	case <-time.After(time.Minute):
		require.FailNow(t, "nothing has arrived")
		return nil
	}
}

// webhookSecret finds the secret of a webhook on a page, where a plus is escaped.
var webhookSecret = regexp.MustCompile(`whsec_[0-9A-Za-z+/=&#;]+`)

// hidden is the value of a hidden field on a page.
func hidden(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, found)
	return found[1]
}

// makeWebhook makes a webhook by the form, and returns the path of its page and its secret.
func (s *site) makeWebhook(t *testing.T, address string) (path, secret string) {
	t.Helper()
	made := s.post(t, "/webhooks", "id", hidden(t, s.get(t, "/webhooks").body, "id"), "url", address, "event", "transcript.completed")
	require.Equal(t, http.StatusCreated, made.status, made.body)
	return regexp.MustCompile(`/webhooks/[0-9a-f-]{36}`).FindString(made.body), unescaped(webhookSecret.FindString(made.body))
}

// unescaped is a text of a page: base64 has a plus, which is escaped there.
func unescaped(text string) string { return strings.ReplaceAll(text, "&#43;", "+") }

func TestWebhookSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	s, h := newHooked(t)
	form := []string{
		"id", hidden(t, s.get(t, "/webhooks").body, "id"), "url", h.url + "/a", "description", "<b>mine</b>",
		"event", "transcript.completed", "event", "batch.failed",
	}
	made := s.post(t, "/webhooks", form...)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	assert.Equal(t, "no-store", made.header.Get("Cache-Control"))
	assert.NotContains(t, made.body, "<b>", "a description is text")
	require.Regexp(t, webhookSecret, made.body)
	path := regexp.MustCompile(`/webhooks/[0-9a-f-]{36}`).FindString(made.body)

	again := s.post(t, "/webhooks", form...) // a reload
	assert.Equal(t, http.StatusConflict, again.status)
	assert.Contains(t, again.body, "already exists")
	for _, later := range []answered{again, s.get(t, "/webhooks"), s.get(t, path)} {
		assert.NotRegexp(t, webhookSecret, later.body)
		assert.Contains(t, later.body, h.url+"/a")
		assert.Contains(t, later.body, "A batch has ended without a text")
	}

	rotation := []string{"rotation", hidden(t, s.get(t, path).body, "rotation")}
	rotated := s.post(t, path, rotation...)
	require.Equal(t, http.StatusOK, rotated.status, rotated.body)
	require.Regexp(t, webhookSecret, rotated.body)
	assert.NotEqual(t, webhookSecret.FindString(made.body), webhookSecret.FindString(rotated.body))
	assert.Contains(t, rotated.body, "The previous secret works until")
	again = s.post(t, path, rotation...)
	assert.Equal(t, http.StatusConflict, again.status)
	assert.NotRegexp(t, webhookSecret, again.body)
	assert.Equal(t, http.StatusBadRequest, s.post(t, path).status, "a form without its id")

	deleted := s.post(t, path+"/delete")
	require.Equal(t, http.StatusSeeOther, deleted.status)
	list := s.get(t, deleted.header.Get("Location")).body
	assert.Contains(t, list, "The webhook is deleted.")
	assert.Contains(t, list, "There are no webhooks yet.")
	assert.Equal(t, http.StatusNotFound, s.get(t, path).status)
}

// hookAPI is an API that has one webhook, and what it has been asked to do.
type hookAPI struct {
	hook       webhook.Endpoint
	deliveries []webhook.Delivery
	early      bool // what is asked for was done a moment ago
	asked      []string
}

func (a *hookAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		a.asked = append(a.asked, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/v1/webhooks/w1"))
	}
	w.Header().Set("Content-Type", "application/json")
	if a.early {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"error":{"code":"STATE_CONFLICT","message":"It was sent."}}`) // a visitor who has gone needs no answer
		return
	}
	if r.Method == http.MethodPatch {
		_ = json.NewDecoder(r.Body).Decode(&a.hook) // the page's own words
	}
	shown := slices.DeleteFunc(slices.Clone(a.deliveries), func(d webhook.Delivery) bool {
		status := r.URL.Query().Get("status")
		return status != "" && status != string(d.Status)
	})
	_ = json.NewEncoder(w).Encode(map[string]any{ // as above
		"webhook": a.hook, "webhooks": []webhook.Endpoint{a.hook}, "deliveries": append([]webhook.Delivery{}, shown...),
		"delivery": webhook.Delivery{ID: "d1", Status: webhook.Pending}, "resent": 1, "skipped": 0,
	})
}

// The page of a webhook shows what became of its events, and sends them again.
func TestWebhookDeliveries(t *testing.T) {
	t.Parallel()
	const path = "/webhooks/w1"
	api := &hookAPI{
		hook: webhook.Endpoint{ID: "w1", URL: "https://hooks.example/", Status: webhook.Active, Verified: true},
		deliveries: []webhook.Delivery{
			{ID: "d1", Type: webhook.Test, Status: webhook.Delivered, Attempts: 1, LastStatus: new(http.StatusNoContent)},
			{ID: "d2", Type: webhook.BatchFailed, Status: webhook.Failed, Attempts: 9, LastStatus: new(http.StatusGone)},
		},
	}
	s, _ := overAPI(t, api.ServeHTTP)
	body := s.get(t, path).body
	for _, shown := range []string{">Active</p>", "Events are sent to this address.", ">Delivered</p>", "1 attempt", "answer 204", ">Failed</p>"} {
		assert.Contains(t, body, shown)
	}
	assert.NotContains(t, body, "data-soon")
	assert.NotContains(t, body, "The oldest delivery waits since")
	failed := s.get(t, path+"?status=failed").body
	assert.Contains(t, failed, ">Failed</p>")
	assert.NotContains(t, failed, ">Delivered</p>")

	for _, form := range []struct{ verb, asks, to, says string }{
		{"/deliveries/d1/resend", "POST /deliveries/d1/resend", "?resent=1", "1 delivery is sent again."},
		{"/resend", "POST /resend", "?resent=1&skipped=0", "1 delivery is sent again."},
		{"/test", "POST /test", "?tested=1", "A test is on its way."},
		{"/pause", "PATCH ", "", ">Paused</p>"},
		{"/resume", "PATCH ", "", ">Active</p>"},
	} {
		api.asked = nil
		sent := s.post(t, path+form.verb)
		require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
		assert.Equal(t, []string{form.asks}, api.asked)
		assert.Equal(t, path+form.to, sent.header.Get("Location"))
		assert.Contains(t, s.get(t, sent.header.Get("Location")).body, form.says)
	}
	for _, verb := range []string{"/deliveries/d1/resend", "/test"} {
		api.early = true
		again := s.post(t, path+verb)
		require.Equal(t, http.StatusSeeOther, again.status, again.body)
		api.early = false
		assert.Contains(t, s.get(t, again.header.Get("Location")).body, "less than a minute ago", verb)
	}

	// A webhook that waits for its first answer, or is off, says so, and what to do about it.
	api.hook.Verified, api.hook.OldestWaitingAt = false, new(transcript.At(noon))
	api.deliveries[0].Status, api.deliveries[0].NextAt = webhook.Pending, new(transcript.At(time.Now()))
	body = s.get(t, path).body
	for _, shown := range []string{"Waits for an answer", "Start your program, then send a test.", "The oldest delivery waits since", "data-soon"} {
		assert.Contains(t, body, shown)
	}
	assert.Contains(t, s.get(t, "/webhooks").body, "Waits for an answer")
	api.hook.Status, api.hook.DisabledReason = webhook.Disabled, new("It <b>answered</b> 410.")
	body = s.get(t, path).body
	assert.Contains(t, body, ">Switched off</p>")
	assert.NotContains(t, body, "<b>answered")
	assert.NotContains(t, body, "/resend", "a webhook that is off sends nothing")
	assert.Contains(t, s.get(t, "/webhooks").body, ">Switched off</p>")
}

func TestWebhookFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, h := newHooked(t)
	id := hidden(t, s.get(t, "/webhooks").body, "id")
	for want, form := range map[string][]string{
		`id="url-trouble"`:                            {"id", id, "url", " ", "event", "batch.failed"},
		`value="http://10.0.0.1/"`:                    {"id", id, "url", "http://10.0.0.1/", "event", "batch.failed"},
		"The service sends nothing to this address.":  {"id", id, "url", "http://10.0.0.1/", "event", "batch.failed"},
		"The link cannot be read.":                    {"id", id, "url", "javascript:alert(1)", "event", "batch.failed"},
		"A link has at most 2,048 characters.":        {"id", id, "url", h.url + strings.Repeat("/", 2048), "event", "batch.failed"},
		"A description has at most 256 characters.":   {"id", id, "url", h.url, "event", "batch.failed", "description", strings.Repeat("x", 257)},
		`value="javascript:alert(1)"`:                 {"id", id, "url", "javascript:alert(1)", "event", "batch.failed"},
		`id="events-trouble"`:                         {"id", id, "url", h.url},
		`id="description-trouble"`:                    {"id", id, "url", h.url, "event", "batch.failed", "description", strings.Repeat("x", 257)},
		"This form is broken. Load the page again.":   {"url", h.url, "event", "batch.failed"},
		`name="event" value="transcript.completed"> `: {"id", id, "url", h.url, "event", "batch.begun"},
	} {
		got := s.post(t, "/webhooks", form...)
		assert.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		assert.Contains(t, got.body, want)
		assert.Contains(t, got.body, "trouble")
	}
	for range webhook.MaxEndpoints {
		s.makeWebhook(t, h.url)
	}
	full := s.post(t, "/webhooks", "id", id, "url", h.url, "event", "batch.failed")
	assert.Equal(t, http.StatusConflict, full.status)
	assert.Contains(t, full.body, "You have 10, and more are not allowed.")
}
