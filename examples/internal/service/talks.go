package service

import (
	"context"
	"embed"
	"html/template"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/testdata"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Talks is a small video site on this machine, for demonstrations without the internet. It has a talk
// with captions in two languages, and the same talk without captions.
type Talks struct {
	listener net.Listener
	http     *http.Server
}

// The videos. Their ids have the form of the real site's ids.
const (
	captionedTalk   = "a-shortTalk"
	uncaptionedTalk = "a-recording"
)

//go:embed talk.html talk.en.vtt talk.de.vtt
var talkFiles embed.FS

// ServeTalks serves the site on an address of this machine, such as "127.0.0.1:0", until Close.
func ServeTalks(ctx context.Context, addr string) (*Talks, error) {
	watch, err := template.ParseFS(talkFiles, "talk.html")
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	pages := http.NewServeMux()
	pages.Handle("GET /watch", talkPage{watch})
	for _, captions := range []string{"/talk.en.vtt", "/talk.de.vtt"} {
		pages.HandleFunc("GET "+captions, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/vtt; charset=utf-8")
			http.ServeFileFS(w, r, talkFiles, captions)
		})
	}
	pages.HandleFunc("GET /talk.ogg", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "talk.ogg", time.Time{}, strings.NewReader(testdata.Talk))
	})
	s := &Talks{listener, &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = s.http.Serve(listener) }() // it ends when the site is closed
	return s, nil
}

// talkPage is the page of a video.
type talkPage struct{ *template.Template }

// ServeHTTP shows the video with the id v of the query, from second t on.
func (p talkPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	video := struct {
		Title    string
		Captions bool
		Second   int
	}{Title: "A short talk"}
	switch r.FormValue("v") {
	case captionedTalk:
		video.Captions = true
	case uncaptionedTalk:
		video.Title += " without captions"
	default:
		http.NotFound(w, r)
		return
	}
	video.Second, _ = strconv.Atoi(strings.TrimSuffix(r.FormValue("t"), "s")) // 0 without a valid number
	_ = p.Execute(w, video)                                                   // a client that has disconnected needs no page
}

// Addr returns the site's host and port.
func (s *Talks) Addr() string { return s.listener.Addr().String() }

// Link returns the link to the talk with captions.
func (s *Talks) Link() string { return s.linkTo(captionedTalk) }

// Recording returns the link to the talk without captions.
func (s *Talks) Recording() string { return s.linkTo(uncaptionedTalk) }

func (s *Talks) linkTo(id string) string { return "http://" + s.Addr() + "/watch?v=" + id }

// Among returns a platform table whose video site also has the talks.
func (s *Talks) Among(table *site.Table) (*site.Table, error) {
	real, _ := table.Site(transcript.VideoSite) // every table has it
	all := map[string]site.Place{}
	maps.Copy(all, real.Elsewhere)
	for _, id := range []string{captionedTalk, uncaptionedTalk} {
		all[id] = site.Place{Canonical: s.linkTo(id), At: s.linkTo(id) + "&t={t}"}
	}
	return table.Replace(map[transcript.Platform]site.Site{transcript.VideoSite: {Elsewhere: all}})
}

// Close ends the site.
func (s *Talks) Close() error { return s.http.Close() }
