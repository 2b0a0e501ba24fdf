// Package videosite reads the captions of the video site by the route that its
// own player takes: the page, the player's description of the video, the track.
//
//	route, err := videosite.New(host, videosite.Options{})
//	found, err := route.Captions(ctx, content, pick)
//
// It takes three or four small requests and no other program. The route is not
// documented and the site changes it at will, so an answer that is not understood is
// an error, and another source is asked.
//
// A video has no captions only where the player says that this very video can be played,
// and names no track, and the player in the page says the same, if the page has its answer.
//
// Tracks are read as json3, which has the times of words. The package asks for no
// machine translation, logs in nowhere, solves no captcha, and keeps nothing between
// calls, cookies included.
package videosite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Options say where the site is and which of its players to act as. The zero value
// is right until the site changes.
type Options struct {
	// Base is the site's address, http or https, without a path; empty means
	// "https://www.youtube.com". No other host is asked for anything.
	Base string
	// ConsentAction is where the form of the site's consent page leads to, by which
	// that page is known; empty means "https://consent.youtube.com/s". The form is
	// not sent, but its host may be redirected to.
	ConsentAction string
	// ClientName and ClientVersion are the player to act as; empty means
	// "ANDROID" and "20.10.38".
	ClientName, ClientVersion string
	// Header is set on every request. Without an Accept-Language of its own it is
	// "en-US": the reasons that the site gives are understood in English only. Its values,
	// a cookie perhaps, are not shown when options are printed or marshaled.
	Header http.Header `json:"-"`
}

// Format prints the options without the values of the header.
func (o Options) Format(s fmt.State, verb rune) {
	type shown Options // has no methods
	o.Header = redact.Header(o.Header)
	redact.Print(s, verb, shown(o))
}

// Route implements [engine.CaptionSource]. It is safe for concurrent use and
// needs no closing.
type Route struct {
	http          *http.Client
	base, consent *url.URL
	client        client
	header        func() http.Header // a new copy; a func, as that prints as none
}

var _ engine.CaptionSource = (*Route)(nil)

// New returns a route over host.HTTP, which must not be nil.
func New(host engine.Host, o Options) (*Route, error) {
	if host.HTTP == nil {
		return nil, errors.New("videosite: the host has no network")
	}
	base, err := address("Base", cmp.Or(o.Base, "https://www.youtube.com"))
	if err != nil {
		return nil, err
	}
	consent, err := address("ConsentAction", cmp.Or(o.ConsentAction, "https://consent.youtube.com/s"))
	if err != nil {
		return nil, err
	}
	if base.Path != "" && base.Path != "/" || base.RawQuery != "" {
		return nil, fmt.Errorf("videosite: Base: %q has a path", o.Base)
	}
	header := o.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	if header.Get("Accept-Language") == "" {
		header.Set("Accept-Language", "en-US")
	}
	return &Route{
		http: host.HTTP, base: base, consent: consent, header: header.Clone,
		client: client{cmp.Or(o.ClientName, "ANDROID"), cmp.Or(o.ClientVersion, "20.10.38")},
	}, nil
}

func address(option, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil { // err repeats the address, and a password with it
		return nil, fmt.Errorf("videosite: %s: it is no address", option)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("videosite: %s: %q is no http or https address without a user", option, redact.Parsed(u))
	}
	return u, nil
}

// Origin names the one platform that the route reads.
func (r *Route) Origin(p transcript.Platform) (transcript.Origin, bool) {
	if p == transcript.VideoSite {
		return transcript.OriginCaptionAPI, true
	}
	return "", false
}

// Captions reads as engine.CaptionSource says; of the content it takes the
// ExternalID only. A track's id is made as the downloader's are: its language,
// "manual" or "asr", and whatever else the site's own name of it holds.
// IsDefault marks the first track in the language of the automatic captions,
// which is the one that is spoken.
//
// A live stream that has not ended is UNAVAILABLE, and so is one yet to come. When
// ctx ends, the error is its cause.
func (r *Route) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	var found engine.Captions
	visit, err := r.visit(ctx)
	if err != nil {
		return found, err
	}
	page, err := visit.page(c.ExternalID)
	if err != nil {
		return found, err
	}
	key, err := playerKey(page)
	if err != nil {
		return found, err
	}
	said, err := visit.player(key, c.ExternalID)
	if err != nil {
		return found, err
	}
	found.Metadata = metadata(said, r.base)
	if err := said.Playable(c.ExternalID); err != nil {
		return found, err
	}
	tracks, err := tracks(said)
	if err != nil {
		return found, err
	}
	if inPage, ok := player.Read(page); len(tracks) == 0 && ok { // the site may give one player what it hides from another
		return found, inPage.ProveNone(c.ExternalID)
	}
	for _, t := range tracks {
		found.Tracks = append(found.Tracks, t.Track)
	}
	err = found.Choose(pick, func(n int) (caption.File, error) { return visit.track(tracks[n].address) })
	return found, err
}
