package enginetest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Site is a fake of the video site, on loopback: pages at /watch?v=ID, the player's answers at
// /youtubei/v1/player, tracks at /api/timedtext, as WebVTT, json3 and srv1 (the default). Each
// of its contents answers with another [Condition]. Its playlists are at /playlist?list=ID, and
// their further pages at /youtubei/v1/browse. It is safe for concurrent use.
type Site struct {
	// URL is the site's address: "http://127.0.0.1:12345".
	URL string

	conditions []Condition
	of         map[string]Condition // by the id of a content or a list
	fake       sitetest.Pages       // without conditions
	handler    http.Handler         // of the fake
	untouched  http.Handler         // of the fake, without the players' special answers
	private    net.Listener         // a private address
	reached    atomic.Int64         // connections to it
	lured      atomic.Int64         // how many requests for pages with lures came

	mu    sync.Mutex
	pages []string // the pages of lists that were requested since takePages, in order
}

// NewSite starts a site, which ends with the test.
func NewSite(t testing.TB) *Site {
	t.Helper()
	return newSite(t, true, func(s *Site) http.Handler { return s })
}

// NewWholeSite starts a site whose pages hold an answer of the player too, as those of the real
// site do. The site stops when the test ends.
func NewWholeSite(t testing.TB) *Site {
	t.Helper()
	return newSite(t, false, func(s *Site) http.Handler { return s })
}

// newSite starts a site with a handler. The handler may use the site only after the first
// request has arrived. playerApart leaves the player's answer out of the pages.
func newSite(t testing.TB, playerApart bool, handler func(*Site) http.Handler) *Site {
	t.Helper()
	private, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Site{conditions: Conditions(), private: private}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := private.Accept()
			if err != nil {
				return
			}
			s.reached.Add(1)
			_ = conn.Close() // the request has already had its effect
		}
	}()
	server := httptest.NewUnstartedServer(handler(s))
	s.URL = "http://" + server.Listener.Addr().String()
	s.fill(playerApart)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		_ = private.Close() // nothing was written to it
		<-ended
	})
	return s
}

// Host returns a host whose network and programs reach only this site on the machine, through
// the egress guard of a server.
func (s *Site) Host(t testing.TB) engine.Host {
	t.Helper()
	return s.host(t, true)
}

// host returns a host that confines programs if confined is set and the system can.
func (s *Site) host(t testing.TB, confined bool) engine.Host {
	t.Helper()
	guard, err := egress.New(egress.Config{Allow: []string{strings.TrimPrefix(s.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := guard.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir, Guard: guard, WithoutLandlock: !confined})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Host{HTTP: guard.Client(), Programs: programs, Confined: programs.Confined() == nil, Judge: guard.JudgeLink, Dir: dir}
}

// fill gives the site a video for each condition, and a playlist for each condition of lists.
func (s *Site) fill(playerApart bool) {
	s.fake = sitetest.Pages{Catalog: &sitecatalog.Catalog{Base: s.URL}, PlayerApart: playerApart, Says: func(id string, said object) {
		if says := s.of[id].says; says != nil {
			says(s, said)
		}
	}}
	s.of = map[string]Condition{}
	for n, c := range s.conditions {
		v := sitetest.Talk(2 * n) // even talks are not shorts
		v.VideoID, v.Title, v.DurationSec, v.IsLive = contentID(n), new("A talk"), new(4), new(false)
		v.Tracks = []transcript.Track{
			{Lang: "en", Name: "English", Kind: transcript.TrackManual}, {Lang: "de", Name: "Deutsch", Kind: transcript.TrackManual},
			{Lang: "en", Name: "English (auto-generated)", Kind: transcript.TrackAuto},
		}
		s.fake.Videos, s.of[v.VideoID] = append(s.fake.Videos, v), c
	}
	s.addLists()
	untouched := s.fake
	untouched.Says = nil
	s.handler, s.untouched = s.fake.Handler(), untouched.Handler()
}

func contentID(n int) string { return fmt.Sprintf("content-%03d", n) }

// Content returns the content with the condition of the given name. It panics if there
// is no such condition.
func (s *Site) Content(condition string) engine.Content {
	n := slices.IndexFunc(s.conditions, func(c Condition) bool { return c.Name == condition })
	if n < 0 {
		panic("enginetest: no condition " + strconv.Quote(condition))
	}
	return s.fake.Content(contentID(n))
}

// answer is the site's good answer.
type answer struct{ contentType, body string }

func (a answer) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.contentType)
	_, _ = io.WriteString(w, a.body) // a client that has disconnected needs no answer
}

// answered returns a handler's answer to a request.
func answered(h http.Handler, r *http.Request) answer {
	good := httptest.NewRecorder()
	h.ServeHTTP(good, r)
	return answer{good.Header().Get("Content-Type"), good.Body.String()}
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/lure/") {
		s.serveLure(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	asked := r.URL.RawQuery + string(body)
	c, ok := s.of[inQuestion.FindString(asked)]
	at := steps[r.URL.Path]
	if at == firstPage && strings.Contains(asked, "@@") {
		at = nextPage
	}
	if r.URL.Path == "/playlist" || at == nextPage {
		s.requestedPage(pageOfList.FindString(asked))
	}
	good := s.handler
	if c.to != nil && !c.to(playerOf(at, body)) {
		good = s.untouched
	}
	switch {
	case r.URL.Path == "/sorry/index":
		sendSorry(w)
	case strings.HasPrefix(r.URL.Path, "/embed/"), // the page where a program asks about a video behind an age wall
		strings.HasPrefix(r.URL.Path, "/s/player/"): // the player's script, which solves puzzles
		s.handler.ServeHTTP(w, r)
	case !ok || at == "":
		http.NotFound(w, r)
	case at == track && tokenWanted.MatchString(r.URL.RawQuery):
		empty(s, w, r, answer{contentType: "text/html; charset=utf-8"})
	case c.at == at, c.at == anyOf && at != around:
		c.does(s, w, r, answered(good, r))
	default:
		good.ServeHTTP(w, r)
	}
}

// playerOf returns the name of the player that a request is for.
func playerOf(at step, body []byte) string {
	if m := clientName.FindSubmatch(body); at == player && m != nil {
		return string(m[1])
	}
	return pagePlayer
}

// requestedPage remembers a request for a page of a list.
func (s *Site) requestedPage(page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = append(s.pages, page)
}

// takePages returns the pages of lists that were requested since the last call.
func (s *Site) takePages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	pages := s.pages
	s.pages = nil
	return pages
}

var (
	// pageOfList finds the name of a page: the list, and for further pages the offset.
	pageOfList = regexp.MustCompile("PLsite-list-[0-9]+(@@[0-9]+)?")
	// clientName finds the name of the player in a question to the player.
	clientName = regexp.MustCompile(`"clientName":\s*"(\w+)"`)
	// tokenWanted finds the sign of a track that the site sends to proven players only.
	tokenWanted = regexp.MustCompile(`\bexp=xp[ev]`)
	// inQuestion finds the id of a content or a list.
	inQuestion = regexp.MustCompile("content-[0-9]+|PLsite-list-[0-9]+")
	steps      = map[string]step{
		"/watch": page, "/youtubei/v1/player": player, "/api/timedtext": track, "/youtubei/v1/next": around,
		"/playlist": firstPage, "/youtubei/v1/navigation/resolve_url": firstPage, "/youtubei/v1/browse": firstPage,
	}
)

// object is a JSON object.
type object = map[string]any
