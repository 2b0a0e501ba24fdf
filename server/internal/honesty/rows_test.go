package honesty_test

import (
	"github.com/transcriptkit/transcriptkit/transcript"
)

// right is the answer that an honest reader gives.
type right struct {
	// claim is what the answer says about the captions.
	claim claim
	// says is a part of this service's message, which tells the reason apart from other reasons
	// with the same claim.
	says string
}

// claim is what an answer says about the captions of a video.
type claim string

// An answer has the text, says that there is none, or gives a reason. The reasons are the codes
// of the service.
const (
	text    claim = "text"
	none    claim = "none"
	blocked       = claim(transcript.IPBlocked)
	login         = claim(transcript.LoginRequired)
	gone          = claim(transcript.Unavailable)
	token         = claim(transcript.POTokenRequired)
	fault         = claim(transcript.UpstreamFailed) // any error that claims no other reason
	hangs   claim = "hangs"
)

var (
	theText    = right{text, ""}
	noText     = right{none, ""}
	isBlocked  = right{blocked, "blocks this server at the moment"}
	isLimited  = right{blocked, "for up to an hour"}
	wantsLogin = right{login, "asks for a login."}
	wantsAge   = right{login, "to prove the age of the viewer"}
	isPrivate  = right{gone, "is private"}
	forMembers = right{gone, "is for members only"}
	elsewhere  = right{gone, "is not available in this region"}
	isGone     = right{gone, "was removed, or never existed"}
	notYet     = right{gone, "is announced but not there yet"}
	onAir      = right{gone, "is a live stream that has not ended"}
	wantsToken = right{token, "wants a proof-of-origin token for its captions"}
	isFault    = right{fault, ""}
	otherTrack = right{fault, "captions are "} // of another content, or in another language
	noWord     = right{fault, "captions hold no text"}
)

// row is a way in which the site refuses.
type row struct {
	condition string // of the site of the suite
	right     right
	orText    bool   // there is a way around the refusal, so the whole text is right too
	lang      string // what is asked for; empty: en
	slow      bool   // an answer takes minutes
}

// rows are the sixty ways.
var rows = []row{
	// Blocks.
	{condition: "429 (page)", right: isBlocked, orText: true},
	{condition: "429 (player)", right: isBlocked, orText: true},
	{condition: "429 (track)", right: isBlocked},
	{condition: "429 (any request)", right: isBlocked},
	{condition: "403 (page)", right: isBlocked, orText: true},
	{condition: "403 (any request)", right: isBlocked},
	{condition: "redirect to a captcha (track)", right: isBlocked},
	{condition: "redirect to a captcha (any request)", right: isBlocked},
	{condition: "captcha page", right: isBlocked, orText: true},
	{condition: "captcha page (track)", right: isBlocked},
	{condition: "captcha page (any request)", right: isBlocked},
	{condition: "captcha of the player", right: isBlocked},
	{condition: "bot check", right: isBlocked},
	{condition: "bot check beside formats", right: isBlocked},
	{condition: "bot check beside pictures", right: isBlocked},
	{condition: "bot check, in the page alone", right: isBlocked, orText: true},
	{condition: "bot check, except in the page", right: isBlocked, orText: true},
	{condition: "no tracks beside a page with a bot check", right: isBlocked},
	{condition: "no tracks beside a page with a rate limit", right: isLimited},
	{condition: "rate limit", right: isLimited},
	{condition: "rate limit beside pictures", right: isLimited},
	{condition: "restricted network", right: isBlocked},
	// Walls.
	{condition: "login wall", right: wantsLogin},
	{condition: "age wall", right: wantsAge},
	{condition: "age check", right: wantsAge},
	{condition: "content check", right: wantsAge},
	{condition: "no tracks beside a page with a login wall", right: wantsLogin},
	{condition: "consent page", right: isFault, orText: true},
	// Videos that are not shown.
	{condition: "private", right: isPrivate},
	{condition: "members only", right: forMembers},
	{condition: "to be paid", right: forMembers},
	{condition: "removed", right: isGone},
	{condition: "never there", right: isGone},
	{condition: "geo-block", right: elsewhere},
	{condition: "not begun", right: notYet},
	{condition: "being broadcast", right: onAir, orText: true},
	{condition: "being processed", right: notYet},
	// Captions that are withheld.
	{condition: "token required", right: wantsToken},
	{condition: "token required, by another name", right: wantsToken},
	{condition: "200 with an empty body (track)", right: wantsToken},
	{condition: "no tracks beside a page with tracks that want a token", right: wantsToken},
	{condition: "no tracks beside a page with tracks", right: theText},
	{condition: "tracks without an address", right: isFault},
	{condition: "formats without an address, and no tracks", right: noText},
	{condition: "formats behind a puzzle", right: theText},
	// Answers about something else.
	{condition: "another content", right: isBlocked},
	{condition: "tracks of another content", right: otherTrack},
	{condition: "a track in another language", right: otherTrack},
	{condition: "tracks", right: noText, lang: "es"},
	{condition: "translations alone", right: isFault},
	{condition: "outdated player, except in the page", right: isFault, orText: true},
	{condition: "outdated player", right: isFault},
	// Answers that cannot be read.
	{condition: "no verdict", right: isFault},
	{condition: "HTML of no known kind (any request)", right: isFault},
	{condition: "503 (any request)", right: isFault},
	{condition: "truncated body (track)", right: isFault},
	{condition: "cut text (track)", right: isFault},
	{condition: "trickle (track)", right: isFault, slow: true},
	{condition: "compressed without end (track)", right: isFault, orText: true},
	{condition: "blank cues (track)", right: noWord},
}
