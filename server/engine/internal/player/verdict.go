package player

import (
	"errors"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The refusals that only the player gives.
var (
	notShown   = refusal.Refusal{Code: transcript.Unavailable, Message: "The platform does not show the content, for a reason that this service does not know.", NotFound: true}
	live       = refusal.Refusal{Code: transcript.Unavailable, Message: "The content is a live stream that has not ended."}
	unplayable = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform does not let the content be played."}
	outOfOrder = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform cannot show the content at the moment."}
	outdated   = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform does not accept this service as a player."}

	undelivered = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform lists captions but does not deliver them."}
)

// Outdated returns the error for a player that the site no longer accepts.
func Outdated(why error) *transcript.Error { return outdated.Because(why) }

// IsOutdated reports whether an error is about the player, not about the content.
func IsOutdated(err error) bool { return outdated.Names(err) }

// IsUndelivered reports whether an error says that another player lists captions.
func IsUndelivered(err error) bool { return undelivered.Names(err) }

// reason maps a phrase of the site, in lower case and with straight quotes, to its meaning.
type reason struct {
	says  string
	means refusal.Refusal
}

// verdict maps a status of the player to its meaning: that of the first reason whose phrase is
// in the site's text, otherwise rest.
type verdict struct {
	reasons []reason
	rest    refusal.Refusal
}

// blockedReasons come before all others, because their texts also ask the viewer to sign in or
// to try again.
var blockedReasons = []reason{
	{"not a bot", refusal.Blocked},
	{"unusual traffic", refusal.Blocked},
	{"captcha", refusal.Blocked},
	{"for up to an hour", refusal.Limited},
	{"content isn't available, try again later", refusal.Limited},
	{"rate-limited", refusal.Blocked},
	{"network administrator", refusal.Blocked},
}

// outdatedReasons are about the player, not the content. The site gives them for every content,
// with a status that means that the content is gone. Another source may do better.
var outdatedReasons = []reason{
	{"on the latest version", outdated},
	{"on this app", outdated},
}

// verdicts are the meanings of all statuses of the player except OK. An unlisted status is
// treated as UNPLAYABLE. If no phrase matches, another source may know more.
var verdicts = map[string]verdict{
	"LOGIN_REQUIRED": {[]reason{
		{"private", refusal.Private}, // this text also offers a login
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
		{"processing this video", refusal.Upcoming},
		{"unavailable", refusal.Gone},
		{"removed", refusal.Gone},
	}, unplayable},
}

// judge returns the error for a status of the player other than OK. It looks at the status
// first and then at the reason, whose wording belongs to the site and changes.
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
