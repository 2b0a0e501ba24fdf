package enginetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// privateLink stands for a link to the private address.
const privateLink = "private"

// secret is in the query of a link, and in no error.
const secret = "s3cr3t"

// directHost is a host with recordings, pages and feeds.
type directHost struct {
	*Site

	mu     sync.Mutex
	counts map[string]int           // requests by their path
	waits  map[string]chan struct{} // closed when a request for the path arrives
}

// awaits returns a channel that is closed when a request for a path arrives.
func (h *directHost) awaits(path string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waits == nil {
		h.waits = map[string]chan struct{}{}
	}
	h.waits[path] = make(chan struct{})
	return h.waits[path]
}

// count returns which request for the path of r this is, from 1.
func (h *directHost) count(r *http.Request) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counts == nil {
		h.counts = map[string]int{}
	}
	h.counts[r.URL.Path]++
	if wait, ok := h.waits[r.URL.Path]; ok {
		close(wait)
		delete(h.waits, r.URL.Path)
	}
	return h.counts[r.URL.Path]
}

// directLinks are the links of the suite. The request for the captions comes before the one for the
// sound.
func directLinks() []directLink {
	const gone, fault, large = transcript.Unavailable, transcript.UpstreamFailed, transcript.MediaTooLarge
	refused := func(link string, code transcript.Code) directLink {
		return directLink{link: link, captions: code, audio: code}
	}
	item := func(guid string, langs, text []string) directLink {
		return directLink{link: "/feed.xml#" + guid, tracks: langs, text: text, title: "About " + guid}
	}
	english := []string{"en-US"}
	return []directLink{
		{link: "/whole.mp3", title: "whole"},
		{link: "/chunked.mp3"},
		{link: "/disguised.html"},
		{link: "/packed.mp3", audio: fault},
		{link: "/cut-once.mp3"},
		{link: "/cut-and-changed.mp3", sound: sound(9)},
		{link: "/cut-other-part.mp3", audio: fault},
		{link: "/cut-always.mp3", audio: fault},
		{link: "/no-length.mp3", audio: fault},
		{link: "/no-length-proven.mp3"},
		{link: "/moved.mp3"},
		{link: "/endless.mp3", audio: large, most: 1 << 20},
		{link: "/whole.mp3?large", audio: large, most: 1000},
		{link: "/live.mp3", audio: gone},
		refused("/status/404", gone), refused("/status/410", gone), refused("/status/451", gone),
		refused("/status/401", transcript.LoginRequired),
		refused("/status/403?token="+secret, fault), refused("/status/429", fault), refused("/status/500", fault), refused("/status/206", fault),
		refused("/empty", fault), refused("/hello.txt", gone), refused("/a.png", gone), refused("/a.zip", gone), refused("/a.pdf", gone),
		refused("/a.m3u8", gone), refused("/a.mpd", gone),
		refused("/to-private", fault), refused(privateLink, gone), refused("/loop", fault), refused("/breaks?token="+secret, fault),

		refused("/feed.xml", gone), refused("/feed.xml#no-such-item", gone), refused("/feed-bomb.xml#x", fault), refused("/feed-entities.xml#x", fault),
		refused("/feed-endless.xml#x", gone), refused("/feed-zip-bomb.xml#x", gone), refused("/feed-cut.xml#plain", fault),
		item("plain", nil, nil), item("vtt", english, []string{"from vtt"}), item("srt", english, []string{"from srt"}),
		item("json", english, []string{"from json"}), item("html", english, []string{"from html", "and more"}),
		item("german", []string{"de", "en-US"}, []string{"auf Deutsch"}), item("no-type", english, []string{"from vtt"}),
		item("untimed", nil, nil), item("untimed-page", nil, nil), item("nothing-said", nil, nil), item("text-gone", nil, nil),
		item("untimed-and-vtt", english, []string{"from vtt"}), item("broken-and-srt", english, []string{"from srt"}),
		{link: "/feed.xml#text-empty", captions: fault}, {link: "/feed.xml#text-blocked", captions: fault}, {link: "/feed.xml#text-500", captions: fault},
		{link: "/feed.xml#text-cut", captions: fault}, {link: "/feed.xml#text-private", captions: fault}, {link: "/feed.xml#text-endless", captions: fault},
		{link: "/feed.xml#no-recording", audio: gone}, {link: "/feed.xml#page-for-sound", audio: fault}, {link: "/feed.xml#sound-gone", audio: gone},
		{link: "/feed.xml#sound-private", audio: fault}, {link: "/feed.xml#sound-picture", audio: fault},

		{link: "/pages/vtt?utm_source=x", tracks: english, text: []string{"from vtt"}, title: "About vtt"},
		{link: "/page-by-sound", tracks: english, text: []string{"from vtt"}, title: "About vtt"},
		{link: "/page-data", title: "A talk in data"}, {link: "/page-graph", title: "A talk"}, {link: "/page-player", title: "A talk"},
		{link: "/page-track", tracks: []string{"fr"}, text: []string{"en français"}},
		{link: "/page-feed-gone", title: "A talk"},
		refused("/page-feed-500", fault), refused("/page-several", gone), refused("/page-none", gone), refused("/page-cut", fault),
		{link: "/page-private", audio: fault},
	}
}

// feedItems is the feed of the host.
func (h *directHost) feedItems() string {
	of := func(guid string, texts ...string) string {
		more := enclosure
		for _, text := range texts {
			url, kind, _ := strings.Cut(text, " ")
			kind, lang, _ := strings.Cut(kind, " ")
			more += fmt.Sprintf(`<podcast:transcript url=%q type=%q language=%q/>`, url, kind, lang)
		}
		return item(guid, more)
	}
	sound := func(guid, url string) string {
		return item(guid, fmt.Sprintf(`<enclosure url=%q type="audio/mpeg"/>`, url))
	}
	private := "http://" + h.private.Addr().String()
	return rssOf(
		of("plain"), of("vtt", "/text.vtt text/vtt"), of("srt", "/text.srt application/srt"), of("json", "/text.json application/json"),
		of("html", "/text.html text/html"), of("german", "/text.de.vtt text/vtt de", "/text.vtt text/vtt en-us"), of("no-type", "/text.vtt"),
		of("untimed", "/hello.txt text/plain"), of("untimed-page", "/page-none text/html"), of("nothing-said", "/silence.vtt text/vtt"),
		of("text-gone", "/status/404 text/vtt"), of("untimed-and-vtt", "/hello.txt text/plain", "/text.vtt text/vtt"),
		of("broken-and-srt", "/status/500 text/vtt", "/text.srt application/srt"), of("text-empty", "/empty text/vtt"),
		of("text-blocked", "/page-none text/vtt"), of("text-500", "/status/500 text/vtt"), of("text-cut", "/cut.vtt text/vtt"),
		of("text-private", private+"/text.vtt text/vtt"), of("text-endless", "/endless.vtt text/vtt"),
		item("no-recording", ""), sound("page-for-sound", "/page-none"), sound("sound-gone", "/status/404"),
		sound("sound-private", private+"/x.mp3"), sound("sound-picture", "/a.png"),
	)
}

// ServeHTTP answers a request.
func (h *directHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := h.count(r)
	send := func(contentType, body string) { answer{contentType, body}.send(w) }
	page := func(head string) {
		send("text/html; charset=utf-8", "<!doctype html><html><head>"+head+"</head><body></body></html>")
	}
	feeds := func(feed string) string {
		return `<link rel="alternate" type="application/rss+xml" href="` + feed + `">`
	}
	switch path := r.URL.Path; path {
	case "/whole.mp3", "/disguised.html", "/redirected.mp3":
		w.Header().Set("Content-Type", map[bool]string{true: "text/html", false: "audio/mpeg"}[path == "/disguised.html"])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(sound(0)))
	case "/feed.xml":
		send("text/plain", h.feedItems())
	case "/feed-bomb.xml":
		send("application/rss+xml", `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>`+rssOf(item("x", "&b;")))
	case "/feed-entities.xml":
		send("application/rss+xml", `<?xml version="1.0"?><!DOCTYPE rss SYSTEM "http://`+h.private.Addr().String()+`/x.dtd">`+rssOf(item("x", "")))
	case "/feed-endless.xml":
		endless(nil, w, r, answer{"application/rss+xml", "<rss>"})
	case "/feed-zip-bomb.xml":
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/rss+xml")
		swelling(w, "<rss>")
	case "/feed-cut.xml":
		truncated(nil, w, r, answer{"application/rss+xml", h.feedItems()})
	case "/text.vtt":
		send("text/html", webVTT("from vtt"))
	case "/text.de.vtt":
		send("text/vtt", webVTT("auf Deutsch"))
	case "/text.fr.vtt":
		send("text/vtt", webVTT("en français"))
	case "/text.srt":
		send("application/octet-stream", "1\n00:00:00,500 --> 00:00:02,000\nfrom srt\n")
	case "/text.json":
		send("application/json", `{"version":"1.0.0","segments":[{"speaker":"A","startTime":0.5,"endTime":2,"body":"from json"}]}`)
	case "/text.html":
		send("text/html", "<cite>A:</cite><time>0:00</time><p>from html</p><cite>B:</cite><time>0:05</time><p>and more</p>")
	case "/silence.vtt":
		send("text/vtt", "WEBVTT\n")
	case "/cut.vtt":
		truncated(nil, w, r, answer{"text/vtt", strings.Repeat(webVTT("a line")+"\n", 3)})
	case "/endless.vtt":
		endless(nil, w, r, answer{"text/vtt", webVTT("a line")})
	case "/hello.txt":
		send("text/plain", "Hello.\nThis is a talk.\n")
	case "/empty":
		send("audio/mpeg", "")
	case "/a.png":
		send("audio/mpeg", "\x89PNG\x0D\x0A\x1A\x0A\x00\x00\x00\x0DIHDR")
	case "/a.zip":
		send("audio/mpeg", "PK\x03\x04\x14\x00\x00\x00")
	case "/a.pdf":
		send("audio/mpeg", "%PDF-1.7\n")
	case "/a.m3u8":
		send("audio/mpegurl", "#EXTM3U\n#EXTINF:10,\n/whole.mp3\n")
	case "/a.mpd":
		send("application/dash+xml", `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>`)
	case "/moved.mp3":
		http.Redirect(w, r, "/redirected.mp3", http.StatusFound)
	case "/loop":
		http.Redirect(w, r, "/loop?"+strconv.Itoa(n), http.StatusFound)
	case "/to-private":
		redirect(h.Site, w, r, answer{})
	case "/page-by-sound":
		page(feeds("/feed.xml#top") + `<meta property="og:audio" content="/text-only.mp3"><meta property="og:url" content="/pages/vtt/">`)
	case "/pages/vtt":
		page(feeds("/feed.xml") + `<audio src="/other.mp3"></audio><audio src="/another.mp3"></audio>`)
	case "/page-data":
		page(`<script type="application/ld+json">{"@graph":[{"@type":"PodcastEpisode","name":"A talk in data","duration":"PT1M5S",
			"associatedMedia":{"@type":"MediaObject","contentUrl":"/whole.mp3"}}]}</script><audio src="/x.mp3"></audio><audio src="/y.mp3"></audio>`)
	case "/page-graph":
		page(`<title>A talk</title><meta property="og:audio" content="` + h.URL + `/whole.mp3"><meta property="og:audio:secure_url" content="` +
			strings.Replace(h.URL, "http:", "https:", 1) + `/whole.mp3">`)
	case "/page-player":
		page(`<title>A talk</title><audio controls><source src="/whole.mp3" type="audio/mpeg"></audio>`)
	case "/page-track":
		page(`<video src="/whole.mp3"><track kind="captions" srclang="fr" src="/text.fr.vtt"><track kind="chapters" src="/text.vtt"></video>`)
	case "/page-feed-gone":
		page(`<title>A talk</title>` + feeds("/status/404") + feeds("/hello.txt") + `<audio src="/whole.mp3"></audio>`)
	case "/page-feed-500":
		page(feeds("/status/500") + `<audio src="/whole.mp3"></audio>`)
	case "/page-several":
		page(`<audio src="/whole.mp3"></audio><audio src="/other.mp3"></audio>`)
	case "/page-none":
		page(`<title>Be right back</title>`)
	case "/page-cut":
		truncated(nil, w, r, answer{"text/html", "<html><audio src='/whole.mp3'></audio>" + strings.Repeat("<p>text</p>", 1000)})
	case "/page-private":
		page(`<audio src="http://` + h.private.Addr().String() + `/x.mp3"></audio>`)
	default:
		if code, ok := strings.CutPrefix(path, "/status/"); ok {
			n, _ := strconv.Atoi(code) // of the suite's own links
			status(n, "1")(nil, w, r, answer{})
			return
		}
		h.serveSpoiled(w, r, n)
	}
}

// serveSpoiled answers with damaged recordings. n is the number of the request for the path: the
// first one is the request for the captions, which reads only the beginning.
func (h *directHost) serveSpoiled(w http.ResponseWriter, r *http.Request, n int) {
	whole := sound(0)
	w.Header().Set("Content-Type", "audio/mpeg")
	switch r.URL.Path {
	case "/lure/" + honest, "/lure/track.vtt":
		h.serveLure(w, r)
	case "/chunked.mp3":
		_, _ = w.Write(whole[:1000]) // as below, a client that has disconnected needs no answer
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(whole[1000:])
	case "/packed.mp3":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(whole)
		_ = z.Close()
	case "/cut-once.mp3", "/cut-and-changed.mp3", "/cut-other-part.mp3":
		h.serveCut(w, r, n, whole)
	case "/cut-always.mp3":
		cutAt(w, whole, len(whole)/2)
	case "/no-length.mp3", "/no-length-proven.mp3":
		if r.Header.Get("Range") != "" && r.URL.Path == "/no-length-proven.mp3" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(whole))
			return
		}
		withoutLength(w, "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n", whole)
	case "/live.mp3":
		w.Header()["Icy-Name"] = []string{"Radio"}
		endless(nil, w, r, answer{"audio/mpeg", string(whole)})
	case "/endless.mp3":
		endless(nil, w, r, answer{"audio/mpeg", string(whole)})
	case "/breaks":
		withoutLength(w, "", nil)
	case "/silent":
		<-r.Context().Done()
	case "/silent-after-head":
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		_, _ = w.Write(whole[:8<<10])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		http.NotFound(w, r)
	}
}

// serveCut cuts the second answer, and continues from there if the client asks for that.
func (h *directHost) serveCut(w http.ResponseWriter, r *http.Request, n int, whole []byte) {
	w.Header().Set("ETag", `"one"`)
	switch {
	case n == 2:
		cutAt(w, whole, len(whole)/2)
	case n > 2 && r.URL.Path == "/cut-and-changed.mp3":
		w.Header().Set("ETag", `"two"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(sound(9)))
	case n > 2 && r.Header.Get("Range") == "":
		http.Error(w, "the client begins once more", http.StatusTeapot)
	case n > 2 && r.URL.Path == "/cut-other-part.mp3":
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(whole)-1, len(whole)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(whole)
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(whole))
	}
}

// cutAt announces all of a body, and breaks off after a part of it.
func cutAt(w http.ResponseWriter, whole []byte, at int) {
	w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	_, _ = w.Write(whole[:at])
	panic(http.ErrAbortHandler)
}

// withoutLength writes an answer by hand, and closes the connection.
func withoutLength(w http.ResponseWriter, head string, body []byte) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err) // the fake speaks HTTP/1.1 only
	}
	_, _ = buffered.WriteString(head)
	_, _ = buffered.Write(body)
	_ = buffered.Flush()
	_ = conn.Close()
}

// swelling sends a small body that unpacks to a GiB.
func swelling(w io.Writer, head string) {
	z := gzip.NewWriter(w)
	_, _ = z.Write([]byte(head))
	blank := make([]byte, 1<<20)
	for i := range blank {
		blank[i] = ' '
	}
	for range 1 << 10 {
		if _, err := z.Write(blank); err != nil {
			return // the client has stopped reading
		}
	}
}
