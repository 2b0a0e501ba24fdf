package ask

import (
	"errors"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// refusals are the answers of the sources that did not succeed.
type refusals struct {
	reason  error   // the error with the most weight
	learned Finding // of the first source that returned something
	walled  bool    // the platform told a source that it withholds a part of this content
	tried   []db.Tried
	said    []answer
}

// answer is a source's answer about a content.
type answer struct {
	Finding
	err error
}

// add adds the answer of a source. Another source is asked next.
func (r *refusals) add(found Finding, err error) {
	r.said = append(r.said, answer{found, err})
	if err == nil {
		r.tried = append(r.tried, found.lacks())
		return
	}
	r.tried = append(r.tried, passedOver(found.origin, err))
	r.walled = r.walled || withholds(err)
	if countsMore(err, r.reason) {
		r.reason = err
	}
	if r.learned.Tracks == nil {
		r.learned = found
	}
}

// contradicts reports whether the answer "there is no such track" contradicts an earlier
// source. It does if an earlier source has listed the track. It also does if the source lists
// no track at all, and an earlier source has listed tracks, or was told that the platform
// withholds a part of this content.
//
// A block of an earlier source contradicts nothing. A block is about this service, not about the
// content, and a source lists no track only if its own rule of absence proves that there is none
// (see engine.CaptionSource).
func (r *refusals) contradicts(sub subject.Subject, found Finding) bool {
	if found.Track != nil {
		return false
	}
	_, listed := sub.Pick(r.learned.Tracks)
	return listed || len(found.Tracks) == 0 && (len(r.learned.Tracks) > 0 || r.walled)
}

// disagrees returns the first earlier source that contradicts a source: one of the two has
// captions of the content, and the other says that there are no captions, or no such content.
func (r *refusals) disagrees(found Finding, err error) (answer, bool) {
	n := slices.IndexFunc(r.said, func(before answer) bool {
		return len(found.Tracks) > 0 && saysNone(before.Finding, before.err) || len(before.Tracks) > 0 && saysNone(found, err)
	})
	if n < 0 {
		return answer{}, false
	}
	return r.said[n], true
}

// saysNone reports whether a source says that a content has no captions, or that the content does
// not exist.
func saysNone(found Finding, err error) bool {
	return len(found.Tracks) == 0 && (err == nil || errors.Is(err, transcript.Unavailable))
}

// says describes a source's answer for the log.
func says(found Finding, err error) string {
	if err != nil {
		return string(attempt.OfJob(err).Code)
	}
	return strconv.Itoa(len(found.Tracks)) + " tracks"
}

// withholds reports whether the platform requires a login or a token for this content.
func withholds(err error) bool {
	w := weight(err)
	return w == wantsToken || w == wantsLogin
}

// Weights of errors, the lowest first. An error with more information about the content
// has more weight.
const (
	foundNothing = iota
	isUnfit
	isFault
	wantsToken
	isBlock
	wantsLogin
	isGone
)

// weight returns the weight of a source's error. nil has the lowest weight.
func weight(err error) int {
	switch {
	case err == nil, errors.Is(err, engine.ErrNothingFound):
		return foundNothing
	case errors.Is(err, transcript.ConfigError), errors.Is(err, transcript.NotImplemented):
		return isUnfit
	case errors.Is(err, transcript.POTokenRequired):
		return wantsToken
	case errors.Is(err, transcript.IPBlocked):
		return isBlock
	case errors.Is(err, transcript.LoginRequired):
		return wantsLogin
	case errors.Is(err, transcript.Unavailable):
		return isGone
	}
	return isFault
}

// countsMore reports whether an error replaces an earlier error as the reason. Of two
// blocks, the block that ends first has more weight. Of two other errors with the same
// weight, the earlier error stays.
func countsMore(err, before error) bool {
	switch w, b := weight(err), weight(before); {
	case before == nil:
		return true
	case w == isBlock && b == isBlock:
		return attempt.OfJob(err).RetryAfter < attempt.OfJob(before).RetryAfter
	default:
		return w > b
	}
}
