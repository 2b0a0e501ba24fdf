package videosite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/said"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	isGone      = "The content is not there: it was removed, or never existed."
	isNotSeen   = "The content is not to be seen, for no reason that this service knows."
	isPrivate   = "The content is private."
	isMembers   = "The content is for members only."
	isElsewhere = "The content is not available in this region."
	isAhead     = "The content is announced but not there yet."
	isLive      = "The content is a live stream that has not ended."
	isBlocked   = "The platform blocks this server at the moment."
	isLimited   = "The platform has had enough of this server's visits for up to an hour."
	wantsLogin  = "The platform asks for a login."
	wantsAge    = "The platform asks for a login to prove the age of the viewer."
	wantsToken  = "The platform wants a proof-of-origin token for its captions."
	cannotPlay  = "The platform does not let the content be played."
	isBroken    = "The platform cannot show the content at the moment."
	isOutdated  = "The platform does not take the player as which it is asked."
)

// When to ask a site again that blocks: one that does not say for how long, and one
// that says "for up to an hour".
const (
	pause     = 30 * time.Second
	longPause = 10 * time.Minute
)

// reason is a phrase that the site gives as a reason, in lower case and with straight
// quotes, and what it means.
type reason struct {
	says    string
	code    transcript.Code
	message string
}

// verdict is what a status of the player means: the first of its reasons that is
// in the site's words, else the rest.
type verdict struct {
	reasons []reason
	code    transcript.Code
	message string
}

// blockedReasons stand before all others: their words also ask to sign in, or to
// try again.
var blockedReasons = []reason{
	{"not a bot", transcript.IPBlocked, isBlocked},
	{"unusual traffic", transcript.IPBlocked, isBlocked},
	{"captcha", transcript.IPBlocked, isBlocked},
	{"for up to an hour", transcript.IPBlocked, isLimited},
	{"content isn't available, try again later", transcript.IPBlocked, isLimited},
	{"rate-limited", transcript.IPBlocked, isBlocked},
}

// outdatedReasons are given for every content, and with a status that says that it
// is gone: they are about the player, and another source may do better.
var outdatedReasons = []reason{
	{"on the latest version", transcript.UpstreamFailed, isOutdated},
	{"on this app", transcript.UpstreamFailed, isOutdated},
}

// verdicts of the player but for OK. One that is not among them is UNPLAYABLE, and
// words that nobody knows are for another source to make sense of.
var verdicts = map[string]verdict{
	"LOGIN_REQUIRED": {[]reason{
		{"private", transcript.Unavailable, isPrivate}, // its words offer a login too
		{"member", transcript.Unavailable, isMembers},
		{"inappropriate", transcript.LoginRequired, wantsAge},
		{"your age", transcript.LoginRequired, wantsAge},
	}, transcript.LoginRequired, wantsLogin},
	"AGE_CHECK_REQUIRED":        {nil, transcript.LoginRequired, wantsAge},
	"AGE_VERIFICATION_REQUIRED": {nil, transcript.LoginRequired, wantsAge},
	"LIVE_STREAM_OFFLINE":       {nil, transcript.Unavailable, isAhead},
	"ERROR": {[]reason{
		{"try again", transcript.UpstreamFailed, isBroken},
		{"error occurred", transcript.UpstreamFailed, isBroken},
		{"private", transcript.Unavailable, isPrivate},
		{"unavailable", transcript.Unavailable, isGone},
		{"not available", transcript.Unavailable, isGone},
		{"video isn't available", transcript.Unavailable, isGone},
		{"no longer available", transcript.Unavailable, isGone},
		{"removed", transcript.Unavailable, isGone},
		{"deleted", transcript.Unavailable, isGone},
		{"terminated", transcript.Unavailable, isGone},
		{"not exist", transcript.Unavailable, isGone},
	}, transcript.Unavailable, isNotSeen},
	"UNPLAYABLE": {[]reason{
		{"try again", transcript.UpstreamFailed, isBroken},
		{"error occurred", transcript.UpstreamFailed, isBroken},
		{"private", transcript.Unavailable, isPrivate},
		{"member", transcript.Unavailable, isMembers},
		{"join this channel", transcript.Unavailable, isMembers},
		{"payment", transcript.Unavailable, isMembers},
		{"country", transcript.Unavailable, isElsewhere},
		{"region", transcript.Unavailable, isElsewhere},
		{"location", transcript.Unavailable, isElsewhere},
		{"inappropriate", transcript.LoginRequired, wantsAge},
		{"your age", transcript.LoginRequired, wantsAge},
		{"age-restricted", transcript.LoginRequired, wantsAge},
		{"sign in", transcript.LoginRequired, wantsLogin},
		{"premieres", transcript.Unavailable, isAhead},
		{"unavailable", transcript.Unavailable, isGone},
		{"removed", transcript.Unavailable, isGone},
	}, transcript.UpstreamFailed, cannotPlay},
}

// judge says what a status of the player other than OK means: the status first,
// then the reason, whose words are the site's and change.
func judge(status, why string) *transcript.Error {
	v, known := verdicts[status]
	if !known {
		v = verdicts["UNPLAYABLE"]
	}
	words := strings.ReplaceAll(strings.ToLower(why), "’", "'")
	because := errors.New("videosite: " + said.Line(status+": "+why, 500))
	for _, reasons := range [][]reason{blockedReasons, outdatedReasons, v.reasons} {
		for _, r := range reasons {
			if strings.Contains(words, r.says) {
				return fault(r.code, r.message).Because(because)
			}
		}
	}
	if v.message == isNotSeen {
		because = fmt.Errorf("%w: %w", engine.ErrNothingFound, because)
	}
	return fault(v.code, v.message).Because(because)
}

// fault is the error with a code; one that blocks says when to ask again.
func fault(code transcript.Code, message string) *transcript.Error {
	e := transcript.Errorf(code, "%s", message)
	switch {
	case message == isLimited:
		e.RetryAfter = int(longPause / time.Second)
	case code == transcript.IPBlocked:
		return blocked(0)
	}
	return e
}

// blocked is the error of a site that wants to be left alone, for as long as it
// says; 0: it does not say.
func blocked(wait time.Duration) *transcript.Error {
	if wait <= 0 {
		wait = pause
	}
	e := transcript.Errorf(transcript.IPBlocked, isBlocked)
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}

// broken is an answer that is not one.
func broken(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message)
}
