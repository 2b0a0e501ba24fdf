// Package sitetest is the fake video site of the tests.
//
// A sitecatalog.Catalog is the data: videos, channels, playlists and tracks. [Pages] serves a catalog in
// the format of the video site. The tests of the data API, and of what yt-dlp prints, serve a
// catalog in those formats.
//
// [Site] has plain pages, with the same tracks, good and bad ones:
//
//	site := sitetest.New("talk.mp3")
//	server := httptest.NewServer(site)
//	link := server.URL + sitetest.Watch(sitetest.TwoTracks)
package sitetest

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// The ids of the recordings of a [Site].
const (
	TwoTracks  = "two-tracks1" // captions in English and German
	OtherForms = "other-forms" // captions as SubRip (en) and TTML (de), with the texts of TwoTracks
	NoTracks   = "no-tracks01" // no captions
	Described  = "described01" // title, creator, duration, date and chapters
	Streamed   = "streamed001" // HLS, in pieces
	EmptyTrack = "empty-track" // captions whose answer is empty
	WebTrack   = "webpg-track" // captions that are a web page
	CutTrack   = "cut--track1" // truncated captions
	LostTrack  = "lost-track1" // captions whose times make no sense
	GoneTrack  = "gone--track" // missing captions
	BusyTrack  = "busy--track" // captions that the site refuses for now (429)
	CutMedia   = "cut--media1" // truncated media
	GoneMedia  = "gone--media" // missing media
	NoLength   = "no-length01" // media without a stated size
	TwoVideos  = "two-videos1" // a page with two recordings
	NoMedia    = "no-media001" // a page with none
	Endless    = "endless0001" // a page that never ends
)

// Status returns the id of a page whose answer has that status, between 200 and 599.
func Status(code int) string { return fmt.Sprintf("status-%03d0", code) }

// Watch returns the path of a page.
func Watch(id string) string { return "/watch?v=" + id }

// Site is a site with recordings. Its pages are at /watch?v=ID, and an ID has 11 characters. The
// site counts its requests. It is safe for concurrent use.
type Site struct {
	media string

	mu       sync.Mutex
	pages    map[string]http.HandlerFunc
	requests map[string]int
}

// New returns a site whose recordings are the media file at that path.
func New(media string) *Site {
	s := &Site{media: media, requests: make(map[string]int)}
	s.pages = map[string]http.HandlerFunc{
		TwoTracks: page("Two tracks", `<video src="/media"><track kind="subtitles" srclang="en" label="English" src="/en.vtt">`+
			`<track kind="subtitles" srclang="de" label="Deutsch" src="/de.vtt"></video>`),
		OtherForms: page("Other forms", `<video src="/media"><track kind="subtitles" srclang="en" src="/en.srt">`+
			`<track kind="subtitles" srclang="de" src="/de.ttml"></video>`),
		NoTracks:   page("No tracks", `<video src="/media"></video>`),
		Streamed:   page("Streamed", `<video src="/hls.m3u8"></video>`),
		EmptyTrack: trackPage("/empty.vtt"),
		WebTrack:   trackPage("/page.vtt"),
		CutTrack:   trackPage("/cut.vtt"),
		LostTrack:  trackPage("/lost.vtt"),
		GoneTrack:  trackPage("/gone.vtt"),
		BusyTrack:  trackPage("/busy.vtt"),
		CutMedia:   page("Cut", `<video src="/cut-media"></video>`),
		GoneMedia:  page("Gone", `<video src="/gone-media"></video>`),
		NoLength:   page("No length", `<video src="/no-length"></video>`),
		TwoVideos:  page("Two", `<video src="/media"></video><video src="/media?2"></video>`),
		NoMedia:    page("None", `<p>Nothing to see here.</p>`),
		Described:  described,
		Endless:    endless,
	}
	return s
}

// Page adds a page, or replaces one.
func (s *Site) Page(id string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[id] = handler
}

// Requests returns how often a path was requested. The path includes the query:
// "/watch?v=two-tracks1".
func (s *Site) Requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.URL.RequestURI()]++
	page := s.pages[r.URL.Query().Get("v")]
	s.mu.Unlock()
	switch r.URL.Path {
	case "/watch":
		id := r.URL.Query().Get("v")
		if digits, ok := strings.CutPrefix(id, "status-"); ok && page == nil {
			code, _ := strconv.Atoi(digits) // 0 for an id that Status did not make
			http.Error(w, "as asked", min(max(code/10, 200), 599))
			return
		}
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	case "/media", "/piece":
		http.ServeFile(w, r, s.media)
	case "/hls.m3u8":
		playlist("/piece")(w, r)
	case "/en.vtt", "/de.vtt", "/en.srt", "/de.ttml":
		lang, format, _ := strings.Cut(r.URL.Path[1:], ".") // it is there
		sendTrack(w, r, lang, format)
	case "/empty.vtt":
		send(w, "text/vtt", "")
	case "/page.vtt":
		send(w, "text/vtt", "<!doctype html><html><title>Before you continue</title></html>")
	case "/cut.vtt":
		whole := VTT("en")
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		send(w, "text/vtt", whole[:len(whole)/2])
	case "/lost.vtt":
		send(w, "text/vtt", strings.ReplaceAll(VTT("en"), "00:", "at "))
	case "/busy.vtt":
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case "/cut-media":
		w.Header().Set("Content-Length", "100000")
		send(w, "audio/mpeg", strings.Repeat("x", 50000))
	case "/no-length":
		noLength(w)
	default:
		http.NotFound(w, r)
	}
}

// page returns a page with a title and some HTML.
func page(title, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/html; charset=utf-8", "<!doctype html><html><head><title>"+html.EscapeString(title)+"</title></head><body>"+body+"</body></html>")
	}
}

// described is a page with a description of its recording for search engines.
func described(w http.ResponseWriter, r *http.Request) {
	page("Described", `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "VideoObject",`+
		`"name": "A talk\u0007 about \u202etalks", "author": {"@type": "Person", "name": "Ann  Example"}, "duration": "PT1M5S",`+
		`"hasPart": [{"@type": "Clip", "name": "Intro", "startOffset": 0, "endOffset": 20}, {"@type": "Clip", "name": "The sea", "startOffset": 20.5, "endOffset": 65}], `+
		`"uploadDate": "2024-02-03T04:05:06Z", "thumbnailUrl": "https://images.example/talk.jpg",`+
		`"contentUrl": "http://`+r.Host+`/media"}</script>`)(w, r)
}

func trackPage(src string) http.HandlerFunc {
	return page("One track", `<video src="/media"><track kind="subtitles" srclang="en" src="`+src+`"></video>`)
}

func send(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	// a client that hangs up has read enough
	_, _ = io.WriteString(w, body)
}

// noLength sends 8 MiB without announcing the length.
func noLength(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "audio/mpeg")
	chunk := make([]byte, 64<<10)
	for range 128 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush() // the next Write reports an error
	}
}

// endless sends a page until the client hangs up.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	chunk := []byte(strings.Repeat("<p>and so on</p>\n", 4096))
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}
