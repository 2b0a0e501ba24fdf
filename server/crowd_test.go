package server_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/crowdtest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// These tests let crowds stand before the service: clients that read slowly, and clients that send
// slowly. The others must not notice.

// The bounds of a service with so many connections.
const (
	fewConnections = 32
	anEighth       = fewConnections / 8
)

func withFewConnections(c *server.Config) {
	server.SettingsOf(c).Connections = fewConnections
	onPlan(func(p *account.Plan) { p.RateLimit.Requests = account.Unlimited })(c)
}

// crowded serves the service on connections in memory.
func (s *service) crowded(t *testing.T) *crowdtest.Place {
	t.Helper()
	return crowdtest.Serve(t, s.HTTPServer(""), func(l net.Listener) net.Listener { return s.Listener(l) })
}

// head is the head of a request. A body of so many bytes follows.
func head(method, path, key, contentType string, more http.Header, body int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: x\r\n", method, path)
	if key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", key)
	}
	if contentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", contentType)
	}
	if body > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", body)
	}
	_ = more.Write(&b) // a Builder never fails
	return b.String() + "\r\n"
}

// unharmed asks as another account, as the health of the service, and as a visitor without a key.
func unharmed(t *testing.T, p *crowdtest.Place, key, name string) time.Duration {
	t.Helper()
	began := time.Now()
	for _, path := range []string{"/v1/usage", "/healthz", "/readyz", "/docs/openapi.json"} {
		resp, body := p.Ask(t, "203.0.113.9", head(http.MethodGet, path, key, "", http.Header{"Connection": {"close"}}, 0))
		assert.Equal(t, http.StatusOK, resp.StatusCode, "%s: %s: %s", name, path, body)
	}
	return time.Since(began)
}

// A crowd of slow clients before any route, with a key or without, keeps no other client from an answer.
func TestCrowdsBeforeEveryRoute(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of requests: make test-all")
	}
	s := start(t, withFewConnections)
	defer s.Engine.Hold()()
	defer s.Engine.HoldLists()()
	s.setVideoSite()
	owner := s.NewKey(t, "globex")
	place := s.crowded(t)
	var longest time.Duration
	for _, rt := range server.Routes(s.Server.Server) {
		owner := owner
		if rt.Operation == "createWebhook" || rt.Operation == "shareTranscript" {
			owner = s.NewKey(t, "initech") // the crowd makes as many as may be
		}
		var id string
		if thing, names := thingOf(t, rt); names {
			id = thing.make(t, s, as(owner))
		}
		with := asks[rt.Operation]
		path := pathOf(rt, id) + with.query
		for _, key := range []string{owner, ""} {
			readers := head(rt.Method, path, key, with.contentType, with.header, len(with.body)) + with.body
			senders := head(rt.Method, path, key, with.contentType, with.header, len(with.body)+1) + with.body
			for who, part := range map[string]string{"readers": readers, "senders": senders} {
				crowd := place.Stand(t, "198.51.100.7", part, fewConnections+anEighth)
				longest = max(longest, unharmed(t, place, s.Key, who+" of "+rt.Operation))
				crowd.Leave()
			}
		}
	}
	t.Logf("four requests of others took %v at most", longest)
}

// An account has an eighth of the connections under way, or what its plan says; a network an eighth
// without a key, and an address half of that.
func TestRequestsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, withFewConnections)
	recording := s.putRecording(t, "acme", wav(strings.Repeat(uuid.NewString(), 10_000)))
	place := s.crowded(t)
	read := func(path, key string) string { return head(http.MethodGet, path, key, "", nil, 0) }
	media := "/v1/library/transcripts/upload/" + recording + "/media"
	for name, c := range map[string]struct {
		part    string
		holding int
	}{
		"readers of an account": {read(media, s.Key), anEighth},
		"readers without a key": {read("/docs/openapi.json", ""), anEighth / 2},
	} {
		crowd := place.Stand(t, "198.51.100.7", c.part, 3*anEighth)
		assert.Equal(t, map[int]int{http.StatusOK: c.holding, http.StatusTooManyRequests: 3*anEighth - c.holding}, crowd.Statuses(), name)
		unharmed(t, place, s.NewKey(t, "globex"), name)
		crowd.Leave()
	}
	// A client that expects 100 learns when the handler reads the body.
	expects := http.Header{"Expect": {"100-continue"}}
	senders := place.Stand(t, "198.51.100.7", head(http.MethodPost, "/v1/batch", s.Key, "application/json", expects, 100), anEighth)
	assert.Equal(t, map[int]int{http.StatusContinue: anEighth}, senders.Statuses())
	resp, body := place.Ask(t, "198.51.100.7", read("/v1/usage", s.Key))
	assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode, body)
	assert.Equal(t, "1", resp.Header.Get("Retry-After"))
	assert.Contains(t, body, `"error":"rate_limited"`)
	resp, body = place.Ask(t, "198.51.100.7", read("/v1/models", s.Key))
	assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode, body)
	assert.Contains(t, body, fmt.Sprint(anEighth), "in the form of OpenAI")
	senders.Leave()
	resp, body = place.Ask(t, "198.51.100.7", read("/v1/usage", s.Key))
	assert.Equal(t, http.StatusOK, resp.StatusCode, body)
}

// A plan says how many requests an account has under way. Half of them may wait: the others are
// answered at once.
func TestRequestsUnderWayOfAPlan(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.ConcurrentRequests = 4 }))
	defer s.Engine.Hold()()
	place := s.crowded(t)
	events := head(http.MethodGet, "/v1/transcript/job/"+s.job(t, uuid.NewString())+"/events", s.Key, "", nil, 0)
	streams := place.Stand(t, "198.51.100.7", events, 2)
	defer streams.Leave()
	assert.Equal(t, map[int]int{http.StatusOK: 2}, streams.Statuses())
	third := place.Stand(t, "198.51.100.7", events, 1)
	defer third.Leave()
	assert.Equal(t, map[int]int{http.StatusTooManyRequests: 1}, third.Statuses())
	const link = `{"url": "` + video + `", "waitMs": 10000}`
	resp, body := place.Ask(t, "198.51.100.7", head(http.MethodPost, "/v1/transcript", s.Key, "application/json", nil, len(link))+link)
	assert.Equal(t, http.StatusAccepted, resp.StatusCode, body)
}
