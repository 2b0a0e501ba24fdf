package pipeline

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// refusals are what the sources have said that were asked in vain so far.
type refusals struct {
	reason   error   // the one that counts most
	learned  finding // of the first source that has learned something
	withheld bool    // one was denied tracks for want of a token
	tried    []db.Tried
}

// add adds what a source has said that does not have the last word.
func (r *refusals) add(found finding, err error) {
	if err == nil {
		r.tried = append(r.tried, found.lacks())
		return
	}
	r.tried = append(r.tried, passedOver(found.origin, err))
	r.withheld = r.withheld || weight(err) == wantsToken
	if countsMore(err, r.reason) {
		r.reason = err
	}
	if r.learned.Tracks == nil {
		r.learned = found
	}
}

// contradicts tells that a source which finds no tracks is not to be believed:
// another one has listed some, or was denied them.
func (r *refusals) contradicts(found finding) bool {
	return len(found.Tracks) == 0 && (len(r.learned.Tracks) > 0 || r.withheld)
}

// weights of reasons, the least first. What says least of the content
// comes first: that a source found nothing, or lacks its program.
const (
	foundNothing = iota
	isUnfit
	isFault
	wantsToken
	isBlock
	wantsLogin
	isGone
)

// weight is how much the error of a source counts; that of no error is the least.
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

// countsMore tells that an error is the reason in the place of an earlier one. Of
// two blocks the shorter one is waited for, of two other equals the first stays.
func countsMore(err, before error) bool {
	switch w, b := weight(err), weight(before); {
	case before == nil:
		return true
	case w == isBlock && b == isBlock:
		return codedError(err).RetryAfter < codedError(before).RetryAfter
	default:
		return w > b
	}
}
