// Package talks is a small video site on this machine, for demonstrations: it has one
// talk with captions in two languages, and needs no internet.
package talks

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Site is the video site at work. It takes the place of the real one in the platform
// table.
type Site struct {
	listener net.Listener
	http     *http.Server
}

const (
	talkPage = `<!DOCTYPE html>
<html lang="en">
<title>A short talk</title>
<video controls src="/talk.ogg">
  <track kind="captions" srclang="en" label="English" src="/en.vtt" default>
  <track kind="captions" srclang="de" label="Deutsch" src="/de.vtt">
</video>
</html>
`
	talkEnglish = `WEBVTT

00:00.000 --> 00:02.600
This is a short talk about a program that listens.

00:02.800 --> 00:07.900
You give it a link, and it gives you the words back,
together with the time of every one of them.
`
	talkGerman = `WEBVTT

00:00.000 --> 00:02.600
Dies ist ein kurzer Vortrag über ein Programm, das zuhört.

00:02.800 --> 00:07.900
Sie geben ihm einen Link, und es gibt Ihnen die Worte zurück,
und zu jedem davon die Zeit.
`
)

// Serve serves the site on a free port of this machine until it is closed. recording is
// the file that its video plays.
func Serve(ctx context.Context, recording string) (*Site, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	pages := http.NewServeMux()
	pages.HandleFunc("GET /watch", page("text/html", talkPage))
	pages.HandleFunc("GET /en.vtt", page("text/vtt", talkEnglish))
	pages.HandleFunc("GET /de.vtt", page("text/vtt", talkGerman))
	pages.HandleFunc("GET /talk.ogg", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, recording) })
	t := &Site{listener, &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = t.http.Serve(listener) }() // it ends when the site is closed
	return t, nil
}

func page(mediaType, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
		_, _ = io.WriteString(w, content) // who has gone needs no page
	}
}

// Addr is where the site is, host and port.
func (t *Site) Addr() string { return t.listener.Addr().String() }

// Link is the link to its video.
func (t *Site) Link() string { return "http://" + t.Addr() + "/watch?v=a-shortTalk" }

// Table is the platform table in which this is the video site.
func (t *Site) Table() (*site.Table, error) {
	return site.New(map[transcript.Platform]site.Site{transcript.VideoSite: {
		Hosts:      []string{t.Addr()},
		ShortHosts: []string{},
		Links:      []string{"/watch?v={id}"},
		Canonical:  "http://" + t.Addr() + "/watch?v={id}",
	}})
}

// Close ends the site.
func (t *Site) Close() error { return t.http.Close() }
