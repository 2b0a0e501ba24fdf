package enginetest

import (
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Condition is an answer of a site, with the result that a caption source must return
// for it.
type Condition struct {
	// Name is short and unique: "429 (player)" is a 429 for the request to the player.
	Name string
	// Codes are the codes that the source's error may have. If it is empty, there must
	// be no error. A source that finds all tracks without the page may ignore a failed
	// page.
	Codes []transcript.Code
	// Tracks is the number of tracks if there is no error.
	Tracks int
	// Blocks reports whether the site withholds its content. A source must never
	// conclude that there are no captions.
	Blocks bool
	// Silent reports whether the site stops in the middle of an answer. The source may then
	// return its context's error instead of an error with a code.
	Silent bool
	// Avoidable reports whether a source may find all tracks despite the condition, for
	// example through another player.
	Avoidable bool

	at   step                     // the request with the special answer; empty means none
	to   func(client string) bool // the players for which says changes the answer; nil means all
	does func(s *Site, w http.ResponseWriter, r *http.Request, good answer)
	says func(s *Site, said object) // changes the player's answer
}

// step is a request on the way to a track.
type step string

const (
	page   step = "page"
	around step = "around" // no condition
	player step = "player"
	track  step = "track"
	anyOf  step = "any request" // page, player and track
)

// siteTracks is how many tracks a site has.
const siteTracks = 3

// Names of conditions that tests use.
const (
	CaptionTracks = "tracks"      // three tracks: manual ones in en and de, an automatic one in en
	NoCaptions    = "proven none" // the site says that there are no tracks
)

// Conditions returns all conditions of a [Site].
func Conditions() []Condition {
	all := []Condition{
		{Name: CaptionTracks, Tracks: siteTracks},
		{Name: NoCaptions, says: noTracks},
		{Name: "consent once", Tracks: siteTracks, at: page, does: consentOnce},
		{Name: "consent page", Codes: upstream, Blocks: true, at: page, does: consent},
		{Name: "captcha page", Codes: blocked, Blocks: true, at: page, does: captcha},
	}
	for _, at := range []step{page, player, track} {
		for _, c := range everywhere {
			c.Name, c.at = c.Name+" ("+string(at)+")", at
			if at != track && slices.Equal(c.Codes, token) {
				c.Codes = []transcript.Code{transcript.POTokenRequired, transcript.UpstreamFailed}
			}
			all = append(all, c)
		}
		for _, c := range onTheWay {
			c.Name, c.at = c.Name+" ("+string(at)+")", at
			all = append(all, c)
		}
	}
	return slices.Concat(all, ofAllRequests, unplayable, silent, ofPlayers, ofTracks, []Condition{
		{Name: "token required", Codes: token, Blocks: true, says: wantToken},
		{Name: "track at a private address", Codes: upstream, says: leadAway},
	})
}

var (
	upstream    = []transcript.Code{transcript.UpstreamFailed}
	blocked     = []transcript.Code{transcript.IPBlocked}
	token       = []transcript.Code{transcript.POTokenRequired}
	login       = []transcript.Code{transcript.LoginRequired}
	unavailable = []transcript.Code{transcript.Unavailable}
)

// everywhere are the conditions that every request can meet.
var everywhere = []Condition{
	{Name: "429", Codes: blocked, Blocks: true, does: status(http.StatusTooManyRequests, "")},
	{Name: "429 with Retry-After", Codes: blocked, Blocks: true, does: status(http.StatusTooManyRequests, "120")},
	{Name: "403", Codes: blocked, Blocks: true, does: status(http.StatusForbidden, "")},
	{Name: "500", Codes: upstream, does: status(http.StatusInternalServerError, "")},
	{Name: "200 with an empty body", Codes: token, Blocks: true, does: empty},
	{Name: "HTML of no known kind", Codes: upstream, Blocks: true, does: otherHTML},
	{Name: "truncated body", Codes: upstream, does: truncated},
	{Name: "slow headers", Codes: upstream, Silent: true, does: slowHeaders},
	{Name: "slow body", Codes: upstream, Silent: true, does: slowBody},
	{Name: "endless body", Codes: upstream, does: endless},
	{Name: "redirect to a private address", Codes: upstream, does: redirect},
}

// onTheWay are more conditions that every request to a content can meet. The checks of lists
// leave them out.
var onTheWay = []Condition{
	{Name: "503", Codes: upstream, does: status(http.StatusServiceUnavailable, "")},
	{Name: "redirect to a captcha", Codes: blocked, Blocks: true, does: sorry},
	{Name: "cut chunks", Codes: upstream, does: cutChunks},
	{Name: "trickle", Codes: upstream, Silent: true, does: trickle},
}

// ofAllRequests are conditions that all requests meet, so that no player avoids them.
var ofAllRequests = []Condition{
	{Name: "429 (any request)", Codes: blocked, Blocks: true, at: anyOf, does: status(http.StatusTooManyRequests, "")},
	{Name: "403 (any request)", Codes: blocked, Blocks: true, at: anyOf, does: status(http.StatusForbidden, "")},
	{Name: "503 (any request)", Codes: upstream, Blocks: true, at: anyOf, does: status(http.StatusServiceUnavailable, "")},
	{Name: "redirect to a captcha (any request)", Codes: blocked, Blocks: true, at: anyOf, does: sorry},
	{Name: "captcha page (any request)", Codes: append(blocked[:1:1], upstream...), Blocks: true, at: anyOf, does: captcha},
	{Name: "HTML of no known kind (any request)", Codes: upstream, Blocks: true, at: anyOf, does: otherHTML},
}
