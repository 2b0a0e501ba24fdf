package player

import (
	"errors"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What only the player says.
var (
	notShown   = refusal.Refusal{Code: transcript.Unavailable, Message: "The content is not to be seen, for no reason that this service knows.", NotFound: true}
	live       = refusal.Refusal{Code: transcript.Unavailable, Message: "The content is a live stream that has not ended."}
	unplayable = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform does not let the content be played."}
	outOfOrder = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform cannot show the content at the moment."}
	outdated   = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform does not take the player as which it is asked."}
)

// reason is a phrase that the site gives as a reason, in lower case and with straight
// quotes, and what it means.
type reason struct {
	says  string
	means refusal.Refusal
}

// verdict is what a status of the player means: the first of its reasons that is
// in the site's words, else the rest.
type verdict struct {
	reasons []reason
	rest    refusal.Refusal
}

// blockedReasons stand before all others: their words also ask to sign in, or to
// try again.
var blockedReasons = []reason{
	{"not a bot", refusal.Blocked},
	{"unusual traffic", refusal.Blocked},
	{"captcha", refusal.Blocked},
	{"for up to an hour", refusal.Limited},
	{"content isn't available, try again later", refusal.Limited},
	{"rate-limited", refusal.Blocked},
}

// outdatedReasons are given for every content, and with a status that says that it
// is gone: they are about the player, and another source may do better.
var outdatedReasons = []reason{
	{"on the latest version", outdated},
	{"on this app", outdated},
}

// verdicts of the player but for OK. One that is not among them is UNPLAYABLE, and
// words that nobody knows are for another source to make sense of.
var verdicts = map[string]verdict{
	"LOGIN_REQUIRED": {[]reason{
		{"private", refusal.Private}, // its words offer a login too
		{"member", refusal.Members},
		{"inappropriate", refusal.Age},
		{"your age", refusal.Age},
	}, refusal.Login},
	"AGE_CHECK_REQUIRED":        {nil, refusal.Age},
	"AGE_VERIFICATION_REQUIRED": {nil, refusal.Age},
	"LIVE_STREAM_OFFLINE":       {nil, refusal.Upcoming},
	"ERROR": {[]reason{
		{"try again", outOfOrder},
		{"error occurred", outOfOrder},
		{"private", refusal.Private},
		{"unavailable", refusal.Gone},
		{"not available", refusal.Gone},
		{"video isn't available", refusal.Gone},
		{"no longer available", refusal.Gone},
		{"removed", refusal.Gone},
		{"deleted", refusal.Gone},
		{"terminated", refusal.Gone},
		{"not exist", refusal.Gone},
	}, notShown},
	"UNPLAYABLE": {[]reason{
		{"try again", outOfOrder},
		{"error occurred", outOfOrder},
		{"private", refusal.Private},
		{"member", refusal.Members},
		{"join this channel", refusal.Members},
		{"payment", refusal.Members},
		{"country", refusal.Elsewhere},
		{"region", refusal.Elsewhere},
		{"location", refusal.Elsewhere},
		{"inappropriate", refusal.Age},
		{"your age", refusal.Age},
		{"age-restricted", refusal.Age},
		{"sign in", refusal.Login},
		{"premieres", refusal.Upcoming},
		{"unavailable", refusal.Gone},
		{"removed", refusal.Gone},
	}, unplayable},
}

// judge says what a status of the player other than OK means: the status first,
// then the reason, whose words are the site's and change.
func judge(status, why string) *transcript.Error {
	v, known := verdicts[status]
	if !known {
		v = verdicts["UNPLAYABLE"]
	}
	words := strings.ReplaceAll(strings.ToLower(why), "’", "'")
	because := errors.New("player: " + clip.Line(status+": "+why, 500))
	for _, reasons := range [][]reason{blockedReasons, outdatedReasons, v.reasons} {
		for _, r := range reasons {
			if strings.Contains(words, r.says) {
				return r.means.Because(because)
			}
		}
	}
	return v.rest.Because(because)
}
