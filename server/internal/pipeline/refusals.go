package pipeline

import (
	"errors"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// refusals are the answers of the sources that had no text so far.
type refusals struct {
	reason  error   // the one that counts most
	learned finding // of the first source that has learned something
	refused bool    // the platform has turned one away
	tried   []db.Tried
}

// add adds the answer of a source after which another one is to be asked.
func (r *refusals) add(found finding, err error) {
	if err == nil {
		r.tried = append(r.tried, found.lacks())
		return
	}
	r.tried = append(r.tried, passedOver(found.origin, err))
	r.refused = r.refused || turnsAway(err)
	if countsMore(err, r.reason) {
		r.reason = err
	}
	if r.learned.Tracks == nil {
		r.learned = found
	}
}

// contradicts reports whether a source that has not read what the subject wants is not to
// be believed: an earlier source has listed it, or the source lists nothing while an earlier
// one has listed tracks or was turned away by the platform. The silence of one source never
// overrules what the platform has refused to another.
func (r *refusals) contradicts(sub subject.Subject, found finding) bool {
	if found.Track != nil {
		return false
	}
	_, listed := sub.Pick(r.learned.Tracks)
	return listed || len(found.Tracks) == 0 && (len(r.learned.Tracks) > 0 || r.refused)
}

// turnsAway reports whether an error says that the platform hides what it has from this
// service: the platform blocks, or wants a login or a token. A source that is not visited
// because its circuit is open counts as well.
func turnsAway(err error) bool {
	w := weight(err)
	return w == wantsToken || w == isBlock || w == wantsLogin
}

// Weights of errors, the least first. The more an error says about the content,
// the more it weighs.
const (
	foundNothing = iota
	isUnfit
	isFault
	wantsToken
	isBlock
	wantsLogin
	isGone
)

// weight is how much an error of a source weighs; nil weighs least.
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

// countsMore reports whether an error replaces an earlier one as the reason. Of two
// blocks the one that ends first is kept, of two other errors with the same weight
// the first.
func countsMore(err, before error) bool {
	switch w, b := weight(err), weight(before); {
	case before == nil:
		return true
	case w == isBlock && b == isBlock:
		return fault.OfJob(err).RetryAfter < fault.OfJob(before).RetryAfter
	default:
		return w > b
	}
}
