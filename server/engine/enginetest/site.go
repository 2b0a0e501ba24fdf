package enginetest

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Site is a fake of the video site, on loopback: pages at /watch?v=ID, the player's answers at
// /youtubei/v1/player, tracks at /api/timedtext, as WebVTT, json3 and srv1 (the default). Each
// of its contents answers with another [Condition]. Its playlists are at /playlist?list=ID, and
// their further pages at /youtubei/v1/browse. Safe for concurrent use.
type Site struct {
	// URL is the site's address: "http://127.0.0.1:12345".
	URL string

	conditions []Condition
	private    net.Listener // a private address
	reached    atomic.Int64 // connections to it
	pages      atomic.Int64 // requested pages of lists
	lured      atomic.Int64 // how many requests for pages with lures came
}

// NewSite starts a site, which ends with the test.
func NewSite(t testing.TB) *Site {
	t.Helper()
	return newSite(t, func(s *Site) http.Handler { return s })
}

// newSite starts a site with a handler. The handler may use the site only after the first
// request has arrived.
func newSite(t testing.TB, handler func(*Site) http.Handler) *Site {
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
			_ = conn.Close() // it has done its harm
		}
	}()
	server := httptest.NewUnstartedServer(handler(s))
	s.URL = "http://" + server.Listener.Addr().String()
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

// Content returns the content with a condition, by the condition's name. It panics if there is
// no such condition.
func (s *Site) Content(condition string) engine.Content {
	n := slices.IndexFunc(s.conditions, func(c Condition) bool { return c.Name == condition })
	if n < 0 {
		panic("enginetest: no condition " + strconv.Quote(condition))
	}
	id := fmt.Sprintf("content-%03d", n)
	return engine.Content{Platform: transcript.VideoSite, ExternalID: id, URL: s.URL + "/watch?v=" + id}
}

// condition returns the condition of a content, by the content's id.
func (s *Site) condition(id string) (Condition, bool) {
	digits, ok := strings.CutPrefix(id, "content-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= len(s.conditions) {
		return Condition{}, false
	}
	return s.conditions[n], true
}

// answer is the site's good answer.
type answer struct{ contentType, body string }

func (a answer) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.contentType)
	_, _ = io.WriteString(w, a.body) // a client that is gone needs no answer
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/youtubei/v1/next" { // some sources ask for the data around the player
		answer{"application/json", `{"contents":{"twoColumnWatchNextResults":{}}}`}.send(w)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/lure/") {
		s.serveLure(w, r)
		return
	}
	if s.serveList(w, r) {
		return
	}
	id := r.URL.Query().Get("v")
	st := map[string]step{"/watch": page, "/youtubei/v1/player": player, "/api/timedtext": track}[r.URL.Path]
	if st == player {
		var question struct {
			VideoID string `json:"videoId"`
		}
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil || r.Method != http.MethodPost || r.URL.Query().Get("key") == "" {
			http.Error(w, "not a question", http.StatusBadRequest)
			return
		}
		id = question.VideoID
	}
	c, ok := s.condition(id)
	if !ok || st == "" {
		http.NotFound(w, r)
		return
	}
	var good answer
	switch st {
	case page:
		good = answer{"text/html; charset=utf-8", watchPage}
	case player:
		good = answer{"application/json", s.played(id, c)}
	case track:
		text, ok := captions(r.URL.Query().Get("lang"), r.URL.Query().Get("fmt"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		good = text
	}
	if c.at == st {
		c.does(s, w, r, good)
		return
	}
	good.send(w)
}

const (
	siteKey   = "fake-Key_1"
	watchPage = `<!doctype html><html><head><title>A talk</title></head><body><script>ytcfg.set({"INNERTUBE_API_KEY":"` + siteKey +
		`","INNERTUBE_CONTEXT_CLIENT_NAME":1});</script></body></html>` + "\n"
)

// object is a JSON object.
type object = map[string]any

// played returns the player's answer about a content.
func (s *Site) played(id string, c Condition) string {
	said := object{
		"playabilityStatus": object{"status": "OK"},
		"videoDetails": object{
			"videoId": id, "title": "A talk", "author": "A speaker", "channelId": "UCaaaaaaaaaaaaaaaaaaaaaa", "lengthSeconds": "4",
			"thumbnail": object{"thumbnails": []object{{"url": s.URL + "/thumbnail.jpg", "width": 120, "height": 90}}},
		},
		"streamingData": object{"formats": []object{{
			"itag": 18, "url": s.URL + "/media", "mimeType": `video/mp4; codecs="avc1.42001E, mp4a.40.2"`,
			"width": 640, "height": 360, "quality": "medium", "qualityLabel": "360p", "bitrate": 500000, "audioQuality": "AUDIO_QUALITY_LOW",
		}}},
		"captions": object{"playerCaptionsTracklistRenderer": object{
			"captionTracks": []object{
				s.named(id, "en", "English", ""), s.named(id, "de", "Deutsch", ""), s.named(id, "en", "English (auto-generated)", "asr"),
			},
			"translationLanguages": []object{
				{"languageCode": "en", "languageName": object{"simpleText": "English"}},
				{"languageCode": "fr", "languageName": object{"simpleText": "French"}},
			},
		}},
	}
	if c.says != nil {
		c.says(s, said)
	}
	data, err := json.Marshal(said)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return string(data)
}

func (s *Site) named(id, lang, name, kind string) object {
	t := object{
		"baseUrl": s.URL + "/api/timedtext?v=" + id + "&lang=" + lang + "&kind=" + kind + "&fmt=srv3",
		"name":    object{"runs": []object{{"text": name}}}, "vssId": "." + lang, "languageCode": lang, "isTranslatable": true,
	}
	if kind != "" {
		t["kind"], t["vssId"] = kind, "a."+lang
	}
	return t
}

// Texts are the texts of the site's tracks, by language: one from 0.5 s to 2 s, and one from
// there to 3.5 s.
func (s *Site) Texts() map[string][]string {
	return map[string][]string{"en": {"hello world", "how are you"}, "de": {"hallo Welt", "wie geht’s & steht’s"}}
}

// captions writes a track in a format.
func captions(lang, format string) (answer, bool) {
	lines := (*Site)(nil).Texts()[lang]
	if lines == nil {
		return answer{}, false
	}
	a, b := html.EscapeString(lines[0]), html.EscapeString(lines[1])
	switch format {
	case "vtt":
		return answer{"text/vtt; charset=utf-8", "WEBVTT\nKind: captions\nLanguage: " + lang + "\n\n" +
			"00:00:00.500 --> 00:00:02.000\n" + a + "\n\n00:00:02.000 --> 00:00:03.500\n" + b + "\n"}, true
	case "json3":
		data, err := json.Marshal(object{"wireMagic": "pb3", "events": []object{
			{"tStartMs": 500, "dDurationMs": 1500, "segs": []object{{"utf8": lines[0]}}},
			{"tStartMs": 2000, "dDurationMs": 1500, "segs": []object{{"utf8": lines[1]}}},
		}})
		if err != nil {
			panic(err) // it is made of strings and numbers
		}
		return answer{"application/json; charset=utf-8", string(data)}, true
	}
	return answer{"text/xml; charset=utf-8", `<?xml version="1.0" encoding="utf-8" ?><transcript>` +
		`<text start="0.5" dur="1.5">` + html.EscapeString(a) + `</text><text start="2" dur="1.5">` + html.EscapeString(b) + `</text></transcript>`}, true
}
