package enginetest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Condition is an answer of a site, and the result that a caption source must make of it.
type Condition struct {
	// Name is short and unique: "429 (player)" is a 429 for the request to the player.
	Name string
	// Codes are the codes that the source's error may carry; none: there must be no error. A
	// source that finds all tracks without the page may ignore a failed page.
	Codes []transcript.Code
	// Tracks is the number of tracks if there is no error.
	Tracks int
	// Blocks reports whether the site hides its content. A source must never read that as
	// "there is nothing".
	Blocks bool
	// Silent reports whether the site stops in the middle of an answer. The source may then
	// return its context's error instead of an error with a code.
	Silent bool

	at   step // the request with the special answer; empty: none
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
)

// siteTracks is how many tracks a site has.
const siteTracks = 3

// Names of conditions that tests use.
const (
	CaptionTracks = "tracks"      // three tracks: manual ones in en and de, an automatic one in en
	NoCaptions    = "proven none" // the site says that there are none
)

// Conditions lists the possible answers of a [Site].
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
	}
	all = append(all, unplayable...)
	all = append(all, silent...)
	return append(all,
		Condition{Name: "token required", Codes: token, Blocks: true, at: track, does: empty, says: wantToken},
		Condition{Name: "track at a private address", Codes: upstream, says: leadAway},
	)
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

// unplayable are the player's reasons for showing nothing.
var unplayable = []Condition{
	{Name: "bot check", Codes: blocked, Blocks: true, says: refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")},
	{Name: "rate limit", Codes: blocked, Blocks: true, says: refuses("UNPLAYABLE", "Video unavailable", "This content isn’t available, try again later.")},
	{Name: "login wall", Codes: login, Blocks: true, says: refuses("LOGIN_REQUIRED", "Please sign in", "")},
	{Name: "age wall", Codes: login, Blocks: true, says: refuses("LOGIN_REQUIRED", "Sign in to confirm your age", "This video may be inappropriate for some users.")},
	{Name: "members only", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "Join this channel to get access to members-only content like this video, and other exclusive perks.", "")},
	{Name: "private", Codes: unavailable, Blocks: true, says: refuses("LOGIN_REQUIRED", "Private video", "Sign in if you've been granted access to this video")},
	{Name: "removed", Codes: unavailable, says: refuses("ERROR", "Video unavailable", "This video has been removed by the uploader")},
	{Name: "never there", Codes: unavailable, says: refuses("ERROR", "This video is unavailable", "")},
	{Name: "geo-block", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "Video unavailable", "The uploader has not made this video available in your country")},
}

// silent are conditions in which the player shows the content and names no tracks, while the
// player's answer in the page contradicts that: the missing tracks then prove nothing.
var silent = []Condition{
	silentBeside("a page with a bot check", blocked, refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")),
	silentBeside("a page with a rate limit", blocked, refuses("UNPLAYABLE", "Video unavailable", "This content isn’t available, try again later.")),
	silentBeside("a page with a login wall", login, refuses("LOGIN_REQUIRED", "Please sign in", "")),
	silentBeside("a page with tracks without an address", upstream, func(_ *Site, said object) {
		eachTrack(said, func(string) string { return "" })
	}),
	silentBeside("a page with tracks that want a token", token, wantToken),
}

// silentBeside returns a condition in which the player names no tracks, while the answer in the
// page is changed by change.
func silentBeside(name string, codes []transcript.Code, change func(*Site, object)) Condition {
	return Condition{
		Name: "no tracks beside " + name, Codes: codes, Blocks: true,
		says: noTracks,
		at:   page,
		does: func(s *Site, w http.ResponseWriter, r *http.Request, _ answer) {
			page := s.fake
			page.PlayerApart, page.Says = false, func(_ string, said object) { change(s, said) }
			page.Handler().ServeHTTP(w, r)
		},
	}
}

func noTracks(_ *Site, said object) { delete(said, "captions") }

func refuses(status, reason, subreason string) func(*Site, object) {
	return func(_ *Site, said object) {
		said["playabilityStatus"] = object{"status": status, "reason": reason, "errorScreen": object{
			"playerErrorMessageRenderer": object{
				"reason":    object{"simpleText": reason},
				"subreason": object{"runs": []object{{"text": subreason}}},
			},
		}}
		delete(said, "captions")
		delete(said, "streamingData")
	}
}

// eachTrack changes the addresses of the tracks.
func eachTrack(said object, change func(address string) string) {
	list := said["captions"].(object)["playerCaptionsTracklistRenderer"].(object)
	for _, t := range list["captionTracks"].([]object) {
		t["baseUrl"] = change(t["baseUrl"].(string))
	}
}

func wantToken(_ *Site, said object) {
	eachTrack(said, func(address string) string { return address + "&exp=xpe" })
}

func leadAway(s *Site, said object) {
	eachTrack(said, func(address string) string {
		return "http://" + s.private.Addr().String() + strings.TrimPrefix(address, s.URL)
	})
}

func status(code int, retryAfter string) func(*Site, http.ResponseWriter, *http.Request, answer) {
	return func(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		http.Error(w, http.StatusText(code), code)
	}
}

func empty(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	answer{good.contentType, ""}.send(w)
}

const consentForm = `<!doctype html><html><head><title>Before you continue</title></head><body>` +
	`<form action="https://consent.youtube.com/s" method="POST"><input type="hidden" name="gl" value="DE">` +
	`<input type="hidden" name="v" value="cb.20240101-01-p0.en+FX+123"><button>Accept all</button></form></body></html>`

func consent(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", consentForm}.send(w)
}

func consentOnce(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	if c, err := r.Cookie("CONSENT"); err != nil || !strings.HasPrefix(c.Value, "YES+cb.") {
		good.body = consentForm
	}
	good.send(w)
}

func captcha(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", `<!doctype html><html><body><form action="index" method="post">` +
		`<div id="recaptcha" class="g-recaptcha" data-sitekey="x"></div></form></body></html>`}.send(w)
}

func otherHTML(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", `<!doctype html><html><head><title>Hello</title></head><body><p>Be right back.</p></body></html>`}.send(w)
}

// truncated ends in the middle of the announced length.
func truncated(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	w.Header().Set("Content-Length", strconv.Itoa(len(good.body)))
	good.body = good.body[:len(good.body)*2/3]
	good.send(w)
}

func slowHeaders(_ *Site, _ http.ResponseWriter, r *http.Request, _ answer) { <-r.Context().Done() }

func slowBody(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	w.Header().Set("Content-Length", strconv.Itoa(len(good.body)))
	good.body = good.body[:len(good.body)/2]
	good.send(w)
	if err := http.NewResponseController(w).Flush(); err == nil {
		<-r.Context().Done()
	}
}

// endless sends a good answer and then continues: with harmless blanks, for as long as the
// client reads.
func endless(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	const most = 256 << 20
	good.send(w)
	blank := []byte(strings.Repeat("\n", 64<<10))
	for range most / len(blank) {
		if _, err := w.Write(blank); err != nil {
			return // the client has stopped reading
		}
	}
}

func redirect(s *Site, w http.ResponseWriter, r *http.Request, _ answer) {
	http.Redirect(w, r, fmt.Sprintf("http://%s/secret", s.private.Addr()), http.StatusFound)
}
