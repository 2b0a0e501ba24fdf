package dataapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// pause is when to ask the API again if it limits its callers and names no time.
	pause    = 30 * time.Second
	maxPause = 24 * time.Hour // the longest pause that the API may ask for
	maxWords = 300            // characters of the API's own message
)

// judge returns a coded error for a call that failed with err, or whose answer has the wrong
// kind.
func (d *Discovery) judge(ctx context.Context, err error, answered bool) error {
	var refused *refusal
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && answered:
		d.refused.Store(nil)
		return nil
	case err == nil:
		return strange(errors.New("an answer of an unexpected kind"))
	case errors.As(err, &refused):
		e := d.fault(refused)
		if e.Code == transcript.ConfigError {
			d.refused.Store(e)
		}
		return e
	}
	return unreachable(err)
}

// fault returns a coded error for a refusal.
func (d *Discovery) fault(refused *refusal) *transcript.Error {
	why := errors.New(clip.Line(d.scrub(refused.Error()), maxWords))
	told := func(any ...string) bool {
		return slices.ContainsFunc(any, func(r string) bool { return slices.Contains(refused.reasons, r) })
	}
	switch code := refused.status; {
	case told("quotaExceeded", "dailyLimitExceeded") || perDay(refused):
		return usedUp(time.Now()).Because(why)
	case code == http.StatusTooManyRequests || told("rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"):
		e := transcript.Errorf(transcript.ServiceUnavailable, "The data API of the video site accepts no more requests at the moment.").Because(why)
		asked, _ := retryafter.Parse(refused.header, maxPause) // 0 if the header names no time
		e.RetryAfter = retryafter.Seconds(cmp.Or(asked, pause))
		return e
	case told("accessNotConfigured", "SERVICE_DISABLED"):
		return config("The data API of the video site is not enabled for the project of the key: enable it there.").Because(why)
	case told("API_KEY_SERVICE_BLOCKED", "API_KEY_IP_ADDRESS_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED", "ipRefererBlocked"):
		return config("The key for the data API may not be used for it, or not from this server: change the restrictions of the key.").Because(why)
	case told("API_KEY_INVALID", "keyInvalid", "keyExpired") || code == http.StatusUnauthorized:
		return config("The data API of the video site does not accept the key: put the right one into the key file.").Because(why)
	case told("invalidPageToken"):
		return engine.NoSuchPage().Because(why)
	case told("playlistNotFound", "playlistItemsNotAccessible", "playlistForbidden", "channelNotFound", "channelForbidden",
		"channelClosed", "channelSuspended", "invalidChannelId"):
		return gone().Because(why)
	case code >= 300 && code < 400:
		return config("The data API of the video site redirects, which is not followed: set the address that it leads to.").Because(why)
	case code == http.StatusNotFound && len(refused.reasons) == 0:
		return config("The data API of the video site is not at its address: is the base URL right?").Because(why)
	case code == http.StatusForbidden:
		return config("The data API of the video site refuses the key: look at its restrictions, and whether the API is enabled for its project.").Because(why)
	}
	return transcript.Errorf(transcript.UpstreamFailed, "The data API of the video site failed.").Because(why)
}

// perDay reports whether a refusal names a daily limit, such as the limit on searches.
func perDay(refused *refusal) bool {
	return slices.ContainsFunc(refused.limits, func(l string) bool { return strings.Contains(l, "PerDay") })
}

// usedUp is the error for a quota that is renewed at midnight Pacific time.
func usedUp(now time.Time) *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable,
		"The quota of the data API of the video site is used up. It is filled again at midnight Pacific time: ask again then, or raise the quota of the key's project.")
	e.RetryAfter = retryafter.Seconds(midnight(now).Sub(now))
	return e
}

// midnight returns the next midnight, Pacific time.
func midnight(now time.Time) time.Time {
	pacific, err := time.LoadLocation("America/Los_Angeles")
	if err != nil { // without a table of time zones, so at most an hour too late
		pacific = time.FixedZone("PST", -8*60*60)
	}
	y, m, day := now.In(pacific).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, pacific)
}

func config(message string) *transcript.Error {
	return transcript.Errorf(transcript.ConfigError, "%s", message)
}

func gone() *transcript.Error {
	return transcript.Errorf(transcript.Unavailable, "There is no such channel or playlist, or it is private.")
}

// strange is the error for an answer that cannot be understood.
func strange(why error) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "The data API of the video site sends an unexpected answer.").Because(why)
}

// unreachable is the error for a request without an answer, with a partial answer, or with an
// answer that is not JSON.
func unreachable(err error) *transcript.Error {
	var much *http.MaxBytesError
	var sending interface{ Timeout() bool } // implemented by every error of sending
	var asked *url.Error
	why := err
	if errors.As(err, &asked) {
		why = asked.Err // without the address, because the address holds the search words
	}
	switch {
	case errors.As(err, &much):
		return transcript.Errorf(transcript.UpstreamFailed, "The data API of the video site sends too much.").Because(err)
	case unknownhost.Of(err) != nil:
		return unknownhost.Of(err)
	case errors.As(err, &sending):
		return transcript.Errorf(transcript.UpstreamFailed, "The data API of the video site cannot be reached, or breaks off.").Because(why)
	}
	return strange(err)
}
