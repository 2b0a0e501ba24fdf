// Package videosite reads the captions of the video site as the site's own player does:
// it requests the page, the player's description of the video, and the track.
//
//	route, err := videosite.New(host, videosite.Options{})
//	found, err := route.Captions(ctx, content, pick)
//
// It needs three or four small requests and no other program. The route is not documented and
// the site changes it at will, so an answer of an unknown shape is an error, and the service
// asks another source.
//
// The route acts as one of several players of the site. The list of players is built
// in, or comes from the caller, who may replace it while the route works. The route
// tries the next player if the site no longer accepts one, requires a token for its
// captions, or sends an empty answer. After any other refusal it tries no further
// player.
//
// The package reports that a video has no captions only if the table in absence.go
// proves it: a player that names the captions of every video must be able to play
// exactly this video and name no track, no earlier player may have withheld captions,
// and the answer in the page must not contradict that.
//
// Tracks are read as json3, which has the times of words. The package requests no
// machine translation, does not log in, solves no captcha, and keeps nothing between
// calls, not even cookies.
package videosite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Options configure a [Route]. The zero value works until the site changes.
type Options struct {
	// Base is the site's address, http or https, without a path; empty means
	// "https://www.youtube.com". The package sends requests to no other host.
	Base string
	// ConsentAction is the target address of the form on the site's consent page; the package
	// recognizes the page by it. Empty means "https://consent.youtube.com/s". The form is not
	// sent, but the site may redirect to its host.
	ConsentAction string
	// Players are the players to act as, in the order in which they are asked; nil means those
	// of [Players].
	Players []Player
	// Header is set on every request. If it has no Accept-Language, "en-US" is added, because
	// the package understands the site's reasons in English only. Printing or marshaling the
	// options does not show the values, which may include a cookie.
	Header http.Header `json:"-"`
}

// Format prints the options without the values of the header.
func (o Options) Format(s fmt.State, verb rune) {
	type shown Options // has no methods
	o.Header = redact.Header(o.Header)
	redact.Print(s, verb, shown(o))
}

// Route implements [engine.CaptionSource]. It is safe for concurrent use and needs no closing.
type Route struct {
	http          *http.Client
	base, consent *url.URL
	players       atomic.Pointer[[]Player] // the current list
	header        func() http.Header       // a new copy; a func, because printing it shows no value
}

var _ engine.CaptionSource = (*Route)(nil)

// New returns a route that uses host.HTTP, which must not be nil.
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
	r := &Route{http: host.HTTP, base: base, consent: consent, header: header.Clone}
	return r, r.SetPlayers(o.Players)
}

// SetPlayers replaces the players to act as; nil means those of [Players]. A visit that has begun
// keeps its list. The error names the first wrong member, as in "players[1].version"; then nothing
// changes.
func (r *Route) SetPlayers(players []Player) error {
	if players == nil {
		players = Players()
	}
	if err := checkPlayers(players); err != nil {
		return fmt.Errorf("videosite: Players: %w", err)
	}
	all := slices.Clone(players)
	r.players.Store(&all)
	return nil
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

// Origin returns the origin for the only platform that the route reads.
func (r *Route) Origin(p transcript.Platform) (transcript.Origin, bool) {
	if p == transcript.VideoSite {
		return transcript.OriginCaptionAPI, true
	}
	return "", false
}

// Captions reads captions as engine.CaptionSource describes. It uses only the
// ExternalID of the content. Track ids are made like those of the downloader: the
// language, "manual" or "asr", and the rest of the site's own name of the track.
// IsDefault marks the first track in the language of the automatic captions, which is
// the spoken language. pick is called once for each player that names tracks.
//
// A live stream that has not ended, and a stream that has not begun, are UNAVAILABLE. When ctx
// ends, the error is context.Cause(ctx).
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
	return visit.inTurn(question{c.ExternalID, page, key, pick})
}
