package underway_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/crowdtest"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// halls is a server with a bound on its connections. A request for /hold/NAME is held for the account
// NAME, and answered after release.
type halls struct {
	*crowdtest.Place
	held    chan struct{} // receives a value when a request is held
	release func()
}

func newHalls(t *testing.T, most int) *halls {
	t.Helper()
	connections := underway.NewConnections(most)
	h := &halls{held: make(chan struct{}, 1000)}
	released := make(chan struct{})
	h.release = sync.OnceFunc(func() { close(released) })
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/hold/{name}", func(_ http.ResponseWriter, r *http.Request) {
		underway.Hold(r.Context(), underway.Holder{Account: r.PathValue("name")})
		h.held <- struct{}{}
		<-released
	})
	h.Place = crowdtest.Serve(t, &http.Server{
		Handler: mux, ConnState: connections.Changed, ConnContext: connections.Context, ReadHeaderTimeout: time.Minute,
	}, nil)
	t.Cleanup(h.release)
	return h
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" }

// hold lets n requests of an account be at work.
func (h *halls) hold(t *testing.T, from, name string, n int) *crowdtest.Crowd {
	t.Helper()
	crowd := h.Stand(t, from, get("/hold/"+name), n)
	for range n {
		<-h.held
	}
	return crowd
}

// visit asks once, as somebody else.
func (h *halls) visit(t *testing.T) {
	t.Helper()
	resp, _ := h.Ask(t, "203.0.113.9", get("/"))
	assert.Equal(t, http.StatusOK, resp.StatusCode)
}

// A crowd that opens connections and sends nothing, or half a header, keeps nobody out, and cuts
// nobody off who is being answered.
func TestConnectionsThatSendNothing(t *testing.T) {
	t.Parallel()
	const most = 16
	for _, part := range []string{"", "GET / HTT"} {
		h := newHalls(t, most)
		stream := h.hold(t, "192.0.2.7", "ada", 2)
		for range 3 * most {
			h.Stand(t, "198.51.100.1", part, 1)
			h.visit(t)
		}
		h.release()
		assert.Equal(t, map[int]int{http.StatusOK: 2}, stream.Statuses(), part)
	}
}

// If all connections are at work, a new one takes the place of one of whoever holds most: of the one
// that has worked longest.
func TestConnectionsAtWork(t *testing.T) {
	t.Parallel()
	const most = 16
	h := newHalls(t, most)
	oldest := h.hold(t, "192.0.2.7", "acme", 1)
	other := h.hold(t, "192.0.2.7", "acme", 9)
	globex, initech := h.hold(t, "192.0.2.7", "globex", 4), h.hold(t, "198.51.100.1", "initech", 2)
	h.visit(t)
	assert.Equal(t, map[int]int{0: 1}, oldest.Statuses())
	one, two := h.hold(t, "192.0.2.7", "one", 1), h.hold(t, "192.0.2.7", "two", 1)
	h.release()
	assert.GreaterOrEqual(t, other.Statuses()[http.StatusOK], 7, "two more have gone at most")
	for _, crowd := range []*crowdtest.Crowd{globex, initech, one, two} {
		assert.NotContains(t, crowd.Statuses(), 0)
	}
}

// Of those that wait for a request, connections of whoever holds most are closed first.
func TestConnectionsThatWait(t *testing.T) {
	t.Parallel()
	h := newHalls(t, 16)
	ada := h.Stand(t, "192.0.2.7", "", 1)
	h.Stand(t, "198.51.100.1", "", 15)
	for range 5 {
		h.Stand(t, "203.0.113.1", get("/hold/bob"), 1)
		<-h.held
	}
	ada.Send(get("/"))
	assert.Equal(t, map[int]int{http.StatusOK: 1}, ada.Statuses())
}
