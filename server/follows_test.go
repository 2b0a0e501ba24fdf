package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
)

// publisher serves a feed that a test changes.
type publisher struct {
	*target
	mu     sync.Mutex
	items  []string // newest first
	status int      // 0: the feed
}

func newPublisher(t *testing.T, items ...string) *publisher {
	t.Helper()
	p := &publisher{items: items}
	p.target = newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.status != 0 {
			w.WriteHeader(p.status)
			return
		}
		var b strings.Builder
		b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks</title>`)
		for _, id := range p.items {
			fmt.Fprintf(&b, `<entry><id>tag:%s</id><title>About %s</title><link href="https://video.example/watch?v=%s"/></entry>`, id, id, id)
		}
		b.WriteString(`</feed>`)
		etag := fmt.Sprintf(`"%x"`, len(b.String()))
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(b.String())) // a client that has gone needs no answer
	})
	return p
}

func (p *publisher) feed() string { return "http://" + p.address + "/feed.xml" }

// publish puts items before the others.
func (p *publisher) publish(items ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = append(items, p.items...)
}

func (p *publisher) fail(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// following starts a service that looks at the publisher again and again.
func following(t *testing.T, p *publisher, changes ...func(*server.Config)) *service {
	t.Helper()
	return start(t, append([]func(*server.Config){func(c *server.Config) {
		c.Egress.Allow = []string{p.address}
		server.SetFollows(c, follows.Tuning{Step: 50 * time.Millisecond, Every: 100 * time.Millisecond, Wait: 100 * time.Millisecond, FailAfter: 500 * time.Millisecond})
	}}, changes...)...)
}

func (s *service) postFollow(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPost, "/v1/follows", strings.NewReader(body), append([]change{header("Content-Type", "application/json")}, changes...)...)
}

// followed makes a follow, and returns its id.
func (s *service) followed(t testing.TB, body string, changes ...change) string {
	t.Helper()
	a := s.postFollow(t, body, changes...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	f := a.object(t)["follow"].(map[string]any)
	require.Equal(t, "/v1/follows/"+f["id"].(string), a.Header.Get("Location"))
	return f["id"].(string)
}

func (s *service) followNow(t testing.TB, id string) map[string]any {
	t.Helper()
	a := s.get(t, "/v1/follows/"+id)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return a.object(t)["follow"].(map[string]any)
}

// followItems are the items of a follow as "id status", newest first.
func (s *service) followItems(t testing.TB, id string) (all []string) {
	t.Helper()
	a := s.get(t, "/v1/follows/"+id+"/items")
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	for _, i := range a.object(t)["items"].([]any) {
		i := i.(map[string]any)
		all = append(all, fmt.Sprint(i["externalId"], " ", i["status"]))
	}
	return all
}

func TestFollowOfAFeed(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa3", "aaaaaaaaaa2", "aaaaaaaaaa1")
	s := following(t, p)
	id := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1,"language":"en"}`)
	is := func(want ...string) func(*assert.CollectT) {
		return func(c *assert.CollectT) { assert.Equal(c, want, s.followItems(t, id)) }
	}
	require.EventuallyWithT(t, is("aaaaaaaaaa3 submitted", "aaaaaaaaaa2 skipped", "aaaaaaaaaa1 skipped"), time.Minute, 20*time.Millisecond)
	f := s.followNow(t, id)
	assert.Equal(t, "active", f["status"])
	assert.Equal(t, "Talks", f["title"])
	assert.Equal(t, "feed", f["kind"])
	assert.Equal(t, p.feed(), f["url"])
	assert.NotNil(t, f["lastLookedAt"])

	p.publish("aaaaaaaaaa5", "aaaaaaaaaa4")
	require.EventuallyWithT(t, is("aaaaaaaaaa5 submitted", "aaaaaaaaaa4 submitted", "aaaaaaaaaa3 submitted", "aaaaaaaaaa2 skipped", "aaaaaaaaaa1 skipped"), time.Minute, 20*time.Millisecond)
}
