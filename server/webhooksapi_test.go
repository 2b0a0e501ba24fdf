package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server"
)

func (s *service) postWebhook(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	return s.onWebhook(t, http.MethodPost, "", body, changes...)
}

// onWebhook sends a JSON body, or none, to a path below /v1/webhooks.
func (s *service) onWebhook(t testing.TB, method, path, body string, changes ...change) *answer {
	t.Helper()
	if body == "" {
		return s.do(t, method, "/v1/webhooks"+path, nil, changes...)
	}
	return s.do(t, method, "/v1/webhooks"+path, strings.NewReader(body), append([]change{header("Content-Type", "application/json")}, changes...)...)
}

// newWebhook makes a webhook, and returns its id and its secret.
func (s *service) newWebhook(t testing.TB, body string, changes ...change) (id, secret string) {
	t.Helper()
	a := s.postWebhook(t, body, changes...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	made := a.object(t)
	id = made["webhook"].(map[string]any)["id"].(string)
	require.Equal(t, "/v1/webhooks/"+id, a.Header.Get("Location"))
	return id, made["secret"].(string)
}

// testEvent sends a test event, and returns the id of its delivery.
func (s *service) testEvent(t testing.TB, webhook string, changes ...change) string {
	t.Helper()
	a := s.onWebhook(t, http.MethodPost, "/"+webhook+"/test", "", changes...)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	return a.object(t)["delivery"].(map[string]any)["id"].(string)
}

// verifiedWebhook is newWebhook for a receiver that answers, after the receiver has answered the test
// that the service sends by itself.
func (s *service) verifiedWebhook(t *testing.T, got <-chan hook, body string) (id, secret string) {
	t.Helper()
	id, secret = s.newWebhook(t, body)
	assert.Contains(t, next(t, got).body, `"type":"test"`)
	require.Eventually(t, func() bool { return s.webhookNow(t, id)["oldestWaitingAt"] == nil }, time.Minute, 20*time.Millisecond)
	require.Equal(t, true, s.webhookNow(t, id)["verified"])
	return id, secret
}

// failedDelivery returns a delivery of a webhook that does not wait: it has failed in a pause.
func (s *service) failedDelivery(t testing.TB, webhook string, changes ...change) string {
	t.Helper()
	require.Equal(t, http.StatusOK, s.onWebhook(t, http.MethodPatch, "/"+webhook, `{"status": "paused"}`, changes...).StatusCode)
	var failed []any
	require.Eventually(t, func() bool {
		failed = s.do(t, http.MethodGet, "/v1/webhooks/"+webhook+"/deliveries?status=failed", nil, changes...).object(t)["deliveries"].([]any)
		return len(failed) > 0
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, s.onWebhook(t, http.MethodPatch, "/"+webhook, `{"status": "active"}`, changes...).StatusCode)
	return failed[0].(map[string]any)["id"].(string)
}

// tested sends a test event to a receiver that answers, and returns the id of its delivery and the
// request, after the delivery has ended: another test is another delivery then.
func (s *service) tested(t *testing.T, got <-chan hook, webhook string) (id string, h hook) {
	t.Helper()
	id, h = s.testEvent(t, webhook), next(t, got)
	require.Eventually(t, func() bool { return s.webhookNow(t, webhook)["oldestWaitingAt"] == nil }, time.Minute, 20*time.Millisecond)
	return id, h
}

func (s *service) webhookNow(t testing.TB, id string) map[string]any {
	t.Helper()
	a := s.get(t, "/v1/webhooks/"+id)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return a.object(t)["webhook"].(map[string]any)
}

// deliveries are the ids of the deliveries of a webhook, from all pages of a size.
func (s *service) deliveries(t testing.TB, id, query string, size string) (ids []string) {
	t.Helper()
	for token := ""; ; {
		a := s.get(t, "/v1/webhooks/"+id+"/deliveries?maxResults="+size+query+token)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		page := a.object(t)
		for _, d := range page["deliveries"].([]any) {
			ids = append(ids, d.(map[string]any)["id"].(string))
		}
		next, more := page["nextPageToken"].(string)
		if !more {
			return ids
		}
		token = "&pageToken=" + url.QueryEscape(next)
	}
}

// hook is a request that a receiver has got.
type hook struct {
	header http.Header
	body   string
}

// receiver answers every request with 204, and hands the requests out.
func receiver(t *testing.T) (address string, got <-chan hook) {
	t.Helper()
	all := make(chan hook, 100)
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		all <- hook{r.Header, string(body)}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r.URL, all
}

// allowing permits requests to the address of a receiver.
func allowing(address string) func(*server.Config) {
	return func(c *server.Config) {
		c.Egress.Allow = append(c.Egress.Allow, strings.TrimPrefix(address, "http://"))
	}
}

// next is the next request to a receiver.
func next(t *testing.T, got <-chan hook) hook {
	t.Helper()
	select {
	case h := <-got:
		return h
	case <-time.After(time.Minute):
		require.FailNow(t, "no request has arrived")
		return hook{}
	}
}

func TestWebhooksRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.newWebhook(t, `{"url": "https://hooks.example/"}`)
	long := "https://hooks.example/" + strings.Repeat("x", 2048)
	members := map[string]struct {
		status int
		path   string
	}{
		`"url": "https://user:secret@hooks.example/"`:                  {422, "url"},
		`"url": "https://hooks.example/#part"`:                         {422, "url"},
		`"url": "ftp://hooks.example/"`:                                {422, "url"},
		`"url": "file:///etc/passwd"`:                                  {422, "url"},
		`"url": "` + long + `"`:                                        {422, "url"},
		`"url": "http://127.0.0.1/"`:                                   {422, "url"},
		`"url": "http://169.254.169.254/latest/meta-data"`:             {422, "url"},
		`"url": "http://[::1]/"`:                                       {422, "url"},
		`"url": "http://[::ffff:10.0.0.1]/"`:                           {422, "url"},
		`"url": "http://192.168.1.1:8080/"`:                            {422, "url"},
		`"url": "https://hooks.example:8443/"`:                         {422, "url"},
		`"url": "http://0x7f000001/"`:                                  {422, "url"},
		`"events": ["test","test","test","test","test","test","test"]`: {422, "events"},
		`"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`:           {400, "secret"},
	}
	for member, want := range members {
		with := member
		if !strings.HasPrefix(member, `"url"`) {
			with = `"url": "https://hooks.example/", ` + member
		}
		for name, a := range map[string]*answer{
			"create": s.postWebhook(t, "{"+with+"}"),
			"change": s.onWebhook(t, http.MethodPatch, "/"+id, "{"+member+"}"),
		} {
			says := name + " " + member[:min(len(member), 80)] + ": " + a.body
			assert.Equal(t, want.status, a.StatusCode, says)
			assert.Equal(t, "INVALID_REQUEST", a.failure(t)["code"], says)
			assert.Equal(t, []string{want.path}, a.issuePaths(t), says)
			assert.NotContains(t, a.body, "user:secret", says)
		}
	}
	for _, status := range []string{"paused", "active"} { // is no member of a new webhook
		assert.Equal(t, 400, s.postWebhook(t, `{"url": "https://hooks.example/", "status": "`+status+`"}`).StatusCode)
	}
	for status, want := range map[string]int{`"disabled"`: 422, `"gone"`: 422, `true`: 400} {
		a := s.onWebhook(t, http.MethodPatch, "/"+id, `{"status": `+status+`}`)
		assert.Equal(t, want, a.StatusCode, a.body)
		assert.Equal(t, []string{"status"}, a.issuePaths(t))
	}
	assert.Len(t, s.get(t, "/v1/webhooks").object(t)["webhooks"], 1)
	assert.Equal(t, "https://hooks.example/", s.webhookNow(t, id)["url"])
}

func TestWebhookChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postWebhook(t, `{"url": "https://hooks.example/a?b=c", "events": ["batch.failed", "transcript.failed"], "description": "é"}`)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	made := a.object(t)
	secret := made["secret"].(string)
	w := made["webhook"].(map[string]any)
	id := w["id"].(string)
	assert.Equal(t, "https://hooks.example/a?b=c", w["url"])
	assert.Equal(t, []any{"batch.failed", "transcript.failed"}, w["events"])
	assert.Equal(t, "é", w["description"])
	assert.Equal(t, "active", w["status"])
	assert.Nil(t, w["disabledReason"])
	assert.True(t, strings.HasPrefix(secret, "whsec_"))
	assert.True(t, strings.HasPrefix(w["publicKey"].(string), "whpk_"))
	assert.Equal(t, false, w["verified"])
	assert.NotNil(t, w["oldestWaitingAt"], "a test waits")
	assert.Equal(t, w, s.webhookNow(t, id))

	second, _ := s.newWebhook(t, `{"url": "https://hooks.example/2"}`)
	list := s.get(t, "/v1/webhooks")
	all := list.object(t)["webhooks"].([]any)
	require.Len(t, all, 2)
	assert.Equal(t, second, all[0].(map[string]any)["id"], "the newest first")
	assert.Equal(t, w, all[1])
	assert.Equal(t, []any{}, all[0].(map[string]any)["events"], "all types")
	for _, seen := range []string{list.body, s.get(t, "/v1/webhooks/"+id).body} {
		assert.NotContains(t, seen, "whsec_", "the secret is shown once")
	}

	change := func(body string) map[string]any {
		t.Helper()
		a := s.onWebhook(t, http.MethodPatch, "/"+id, body)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.NotContains(t, a.body, "whsec_")
		changed := a.object(t)["webhook"].(map[string]any)
		now := s.webhookNow(t, id)
		delete(now, "oldestWaitingAt") // in a pause what waits fails
		delete(changed, "oldestWaitingAt")
		assert.Equal(t, changed, now)
		return changed
	}
	assert.Equal(t, w["url"], change(`{}`)["url"])
	assert.Equal(t, "https://hooks.example/new", change(`{"url": "https://hooks.example/new"}`)["url"])
	w = change(`{"events": []}`)
	assert.Equal(t, []any{}, w["events"])
	assert.Equal(t, "é", w["description"], "what is left out stays")
	assert.Equal(t, "paused", change(`{"status": "paused"}`)["status"])
	assert.Equal(t, "paused", change(`{"description": ""}`)["status"])
	w = change(`{"status": "active"}`)
	assert.Equal(t, "active", w["status"])
	assert.Empty(t, w["description"])

	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/webhooks/"+id, nil).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/v1/webhooks/"+id).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodDelete, "/v1/webhooks/"+id, nil).StatusCode)
	assert.Len(t, s.get(t, "/v1/webhooks").object(t)["webhooks"], 1)
}

// A repetition of a POST makes no second webhook and no second secret.
func TestWebhookReplays(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := func(k string) change { return header("Idempotency-Key", k) }
	const body = `{"url": "https://hooks.example/"}`
	first := s.postWebhook(t, body, key("1"))
	require.Equal(t, http.StatusCreated, first.StatusCode, first.body)
	again := s.postWebhook(t, body, key("1"))
	assert.Equal(t, http.StatusCreated, again.StatusCode)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, first.object(t), again.object(t), "with the secret: the first answer may be lost")
	assert.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
	other := s.postWebhook(t, `{"url": "https://hooks.example/2"}`, key("1"))
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", other.failure(t)["code"])
	assert.Len(t, s.get(t, "/v1/webhooks").object(t)["webhooks"], 1)

	id := first.object(t)["webhook"].(map[string]any)["id"].(string)
	rotate := func(k string) *answer { return s.onWebhook(t, http.MethodPost, "/"+id+"/rotate", "", key(k)) }
	rotated := rotate("2")
	require.Equal(t, http.StatusOK, rotated.StatusCode, rotated.body)
	assert.NotEqual(t, first.object(t)["secret"], rotated.object(t)["secret"])
	assert.Equal(t, rotated.object(t)["publicKey"], s.webhookNow(t, id)["publicKey"])
	assert.Equal(t, rotated.object(t), rotate("2").object(t), "the webhook has one new secret")
	gone := s.postWebhook(t, body, key("1"))
	assert.Equal(t, http.StatusConflict, gone.StatusCode, gone.body)
	assert.Equal(t, "STATE_CONFLICT", gone.failure(t)["code"], "the secret of the first answer is no longer good")
	assert.NotContains(t, gone.body, "whsec_")
	require.Equal(t, http.StatusOK, rotate("5").StatusCode)
	old := rotate("2")
	assert.Equal(t, http.StatusConflict, old.StatusCode, old.body)
	assert.Equal(t, "STATE_CONFLICT", old.failure(t)["code"])

	test := s.onWebhook(t, http.MethodPost, "/"+id+"/test", "", key("3"))
	require.Equal(t, http.StatusAccepted, test.StatusCode, test.body)
	delivery := test.object(t)["delivery"].(map[string]any)["id"]
	repeated := s.onWebhook(t, http.MethodPost, "/"+id+"/test", "", key("3"))
	assert.Equal(t, delivery, repeated.object(t)["delivery"].(map[string]any)["id"])
	assert.Len(t, s.deliveries(t, id, "", "50"), 1)
	since := `{"since": "2026-11-22T00:00:00Z"}`
	resent := s.onWebhook(t, http.MethodPost, "/"+id+"/resend", since, key("4")).object(t)
	assert.Equal(t, resent, s.onWebhook(t, http.MethodPost, "/"+id+"/resend", since, key("4")).object(t))

	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/webhooks/"+id, nil).StatusCode)
	for name, a := range map[string]*answer{"rotate": rotate("2"), "create": s.postWebhook(t, body, key("1"))} {
		assert.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", name, a.body)
	}
	assert.Empty(t, s.get(t, "/v1/webhooks").object(t)["webhooks"])
}

func TestWebhooksOfAnAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	var last string
	for range webhook.MaxEndpoints {
		last, _ = s.newWebhook(t, `{"url": "https://hooks.example/"}`)
	}
	a := s.postWebhook(t, `{"url": "https://hooks.example/"}`)
	assert.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	assert.Equal(t, map[string]any{"limit": 10.0}, a.failure(t)["details"])
	assert.Contains(t, a.failure(t)["message"], "10")
	s.newWebhook(t, `{"url": "https://hooks.example/"}`, as(s.NewKey(t, "globex")))
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/webhooks/"+last, nil).StatusCode)
	s.newWebhook(t, `{"url": "https://hooks.example/"}`)
}

// A test event arrives signed, by the old keys too after a rotation.
func TestWebhookTestArrives(t *testing.T) {
	t.Parallel()
	address, got := receiver(t)
	s := start(t, allowing(address))
	id, secret := s.verifiedWebhook(t, got, `{"url": "`+address+`/hooks?a=b", "events": ["batch.completed"]}`)
	public := s.webhookNow(t, id)["publicKey"].(string)
	delivery, h := s.tested(t, got, id)
	assert.Contains(t, h.body, `"type":"test"`)
	for _, key := range []string{secret, public} {
		signed, err := webhooksign.Verify([]string{key}, h.header, []byte(h.body), time.Now())
		require.NoError(t, err)
		assert.Equal(t, delivery, signed)
	}
	d := s.get(t, "/v1/webhooks/"+id+"/deliveries").object(t)["deliveries"].([]any)[0].(map[string]any)
	assert.Equal(t, delivery, d["id"])
	assert.Equal(t, "test", d["type"])
	assert.Equal(t, 1.0, d["attempts"])
	assert.Equal(t, 204.0, d["lastStatus"])
	for _, member := range []string{"lastError", "nextAt", "jobId", "batchId"} {
		assert.Contains(t, d, member)
		assert.Nil(t, d[member], member)
	}

	rotated := s.onWebhook(t, http.MethodPost, "/"+id+"/rotate", "").object(t)
	until, err := time.Parse(time.RFC3339, rotated["previousUntil"].(string))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(webhook.RotationOverlap), until, time.Hour)
	_, h = s.tested(t, got, id)
	for _, key := range []string{secret, public, rotated["secret"].(string), rotated["publicKey"].(string)} {
		_, err := webhooksign.Verify([]string{key}, h.header, []byte(h.body), time.Now())
		require.NoError(t, err)
	}
	s.onWebhook(t, http.MethodPost, "/"+id+"/rotate", "")
	_, h = s.tested(t, got, id)
	_, err = webhooksign.Verify([]string{secret, public}, h.header, []byte(h.body), time.Now())
	require.ErrorIs(t, err, webhook.FaultSignature, "only the last two keys sign")
}

func TestWebhookDeliveriesInPages(t *testing.T) {
	t.Parallel()
	address, got := receiver(t)
	s := start(t, allowing(address))
	id, _ := s.verifiedWebhook(t, got, `{"url": "`+address+`"}`)
	want := s.deliveries(t, id, "", "50")
	for range 2 {
		made, _ := s.tested(t, got, id)
		want = append([]string{made}, want...)
	}
	for _, size := range []string{"1", "2", "3"} {
		assert.Equal(t, want, s.deliveries(t, id, "", size), "the newest first")
	}
	assert.Len(t, s.deliveries(t, id, "&status=delivered", "2"), 3)
	assert.Empty(t, s.deliveries(t, id, "&status=failed", "50"))

	token := s.get(t, "/v1/webhooks/"+id+"/deliveries?maxResults=1").object(t)["nextPageToken"].(string)
	other, _ := s.newWebhook(t, `{"url": "`+address+`"}`)
	for query, path := range map[string]string{
		id + "/deliveries?status=failed&pageToken=" + token: "pageToken",
		other + "/deliveries?pageToken=" + token:            "pageToken",
		id + "/deliveries?pageToken=x":                      "pageToken",
		id + "/deliveries?maxResults=201":                   "maxResults",
		id + "/deliveries?maxResults=0":                     "maxResults",
		id + "/deliveries?status=lost":                      "status",
	} {
		a := s.get(t, "/v1/webhooks/"+query)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", query, a.body)
		assert.Equal(t, []string{path}, a.issuePaths(t), query)
	}
}

func TestWebhookResend(t *testing.T) {
	t.Parallel()
	address, got := receiver(t)
	s := start(t, allowing(address))
	id, _ := s.verifiedWebhook(t, got, `{"url": "`+address+`"}`)
	first := s.deliveries(t, id, "", "50")[0]
	second, h := s.tested(t, got, id)
	arrived := func(n int) (ids []string) {
		t.Helper()
		for range n {
			ids = append(ids, next(t, got).header.Get("webhook-id"))
		}
		return ids
	}
	ended := func(status string, n int) {
		t.Helper()
		require.Eventually(t, func() bool { return len(s.deliveries(t, id, "&status="+status, "50")) == n }, time.Minute, 20*time.Millisecond)
	}
	assert.Equal(t, second, h.header.Get("webhook-id"))
	a := s.onWebhook(t, http.MethodPost, "/"+id+"/deliveries/"+first+"/resend", "")
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	again := a.object(t)["delivery"].(map[string]any)
	assert.Equal(t, first, again["id"])
	assert.Equal(t, "pending", again["status"])
	assert.Equal(t, []string{first}, arrived(1), "under the old id")
	ended("delivered", 2)
	a = s.onWebhook(t, http.MethodPost, "/"+id+"/deliveries/"+first+"/resend", "")
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	assert.Equal(t, map[string]any{"status": "delivered"}, a.failure(t)["details"])
	assert.NotEmpty(t, a.Header.Get("Retry-After"), "at most once a minute")

	resend := func(body string) map[string]any {
		t.Helper()
		a := s.onWebhook(t, http.MethodPost, "/"+id+"/resend", body)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		return a.object(t)
	}
	assert.Equal(t, map[string]any{"resent": 0.0, "skipped": 0.0, "next": nil}, resend(`{"since": "2026-11-22T00:00:00Z"}`), "none has failed")
	assert.Equal(t, map[string]any{"resent": 0.0, "skipped": 0.0, "next": nil}, resend(`{"since": "2020-11-22T00:00:00Z", "until": "2020-11-23T00:00:00+02:00", "status": "delivered"}`))
	assert.Equal(t, map[string]any{"resent": 1.0, "skipped": 1.0, "next": nil}, resend(`{"since": "2020-11-22T00:00:00Z", "status": "delivered"}`))
	assert.Equal(t, []string{second}, arrived(1))

	for body, want := range map[string]struct {
		status int
		path   string
	}{
		`{}`: {400, "since"},
		`{"since": "2026-11-22T00:00:00Z", "until": "2026-11-22T00:00:00Z"}`: {422, "until"},
		`{"since": "2026-11-22T00:00:00Z", "status": "pending"}`:             {422, "status"},
	} {
		a := s.onWebhook(t, http.MethodPost, "/"+id+"/resend", body)
		assert.Equal(t, want.status, a.StatusCode, "%s: %s", body, a.body)
		assert.Equal(t, []string{want.path}, a.issuePaths(t), body)
	}

	require.Equal(t, http.StatusOK, s.onWebhook(t, http.MethodPatch, "/"+id, `{"status": "paused"}`).StatusCode)
	for _, path := range []string{"/test", "/resend", "/deliveries/" + first + "/resend"} {
		body := ""
		if path == "/resend" {
			body = `{"since": "2026-11-22T00:00:00Z"}`
		}
		a := s.onWebhook(t, http.MethodPost, "/"+id+path, body)
		assert.Equal(t, http.StatusConflict, a.StatusCode, "%s: %s", path, a.body)
		assert.Equal(t, map[string]any{"status": "paused"}, a.failure(t)["details"], path)
	}
	unknown := "/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
	for _, path := range []string{"/" + id + "/deliveries" + unknown + "/resend", "/" + id + "/deliveries/x/resend", unknown + "/deliveries/" + first + "/resend"} {
		assert.Equal(t, http.StatusNotFound, s.onWebhook(t, http.MethodPost, path, "").StatusCode, path)
	}
}

// No redirect is followed, and a name that leads to a private address gets nothing: the delivery
// says why.
func TestWebhookLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	elsewhere, reached := receiver(t)
	sends := httptest.NewServer(http.RedirectHandler(elsewhere+"/hooks", http.StatusTemporaryRedirect))
	t.Cleanup(sends.Close)
	s := start(t, allowing(sends.URL), allowing(elsewhere))
	why := func(url string) map[string]any {
		t.Helper()
		id, _ := s.newWebhook(t, `{"url": "`+url+`"}`)
		s.testEvent(t, id)
		var d map[string]any
		require.Eventually(t, func() bool {
			d = s.get(t, "/v1/webhooks/"+id+"/deliveries").object(t)["deliveries"].([]any)[0].(map[string]any)
			return d["attempts"] != 0.0
		}, time.Minute, 20*time.Millisecond)
		return d
	}
	redirected := why(sends.URL)
	assert.Equal(t, 307.0, redirected["lastStatus"])
	assert.Contains(t, redirected["lastError"], "follows no redirects")
	assert.NotEqual(t, "delivered", redirected["status"])
	private := why("http://localhost:80/")
	assert.Nil(t, private["lastStatus"])
	assert.Contains(t, private["lastError"], "not public")
	assert.NotContains(t, private["lastError"], "127.0.0.1", "the error tells nothing of the network of the service")
	assert.Empty(t, reached)
}
