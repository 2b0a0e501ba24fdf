package pipeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// lookupWorkers is how many platforms are asked at once for this process's readers, and
// again for readers of other processes. The visits of jobs do not count.
const lookupWorkers = 4

// lookups are the questions under way that captions and info have put to platforms.
type lookups struct {
	*slots
	same singleflight.Group
	// soFar holds, for each question under way, a *replySoFar: a reader gets the reply when
	// the time is up before all sources have answered.
	soFar sync.Map
	// last holds, for each question, the answer that came last, for those who have looked
	// into the cache before it stood there.
	last sync.Map
}

// heldFor is how long an answer is held: longer than anybody looks into the cache.
const heldFor = 15 * time.Second

// held is an answer, and when it stood in the cache.
type held struct {
	answered
	at time.Time
}

func (l *lookups) hold(key string, a answered) {
	h := &held{a, time.Now()}
	l.last.Store(key, h)
	time.AfterFunc(heldFor, func() { l.last.CompareAndDelete(key, h) })
}

// since returns the answer to a question that has come since a time, if one has.
func (l *lookups) since(begun time.Time, key string) (a answered, ok bool) {
	if h, ok := l.last.Load(key); ok && !h.(*held).at.Before(begun) {
		return h.(*held).answered, true
	}
	return a, false
}

func newLookups() *lookups { return &lookups{slots: newSlots(lookupWorkers)} }

// answered is what a platform answered to a reader.
type answered struct {
	finding
	text *db.Transcript // of the track that was read, as it is stored; or nil
}

// reply is what a lookup returns.
type reply struct {
	answered
	err error
}

// replySoFar is the best reply to a question that is known; nil until the platform is asked.
type replySoFar = atomic.Pointer[reply]

// lookup asks the platform for captions or info, and stores the answer. Equal questions
// at the same time are asked once. If the platform takes longer than Config's lookup
// budget, the error is the best that is known by then, else UPSTREAM_FAILED. If the
// platform has not been asked by then, the error is SERVICE_UNAVAILABLE. lookup returns
// the facts from before an error with the error. If only other processes can ask a
// platform, one of them asks. begun is when the reader found nothing in the cache: the
// reader also gets an answer that has come since then.
func (p *Pipeline) lookup(ctx context.Context, sub subject.Subject, begun time.Time) (answered, error) {
	if p.cluster.OnlyOthers(ctx, func(t cluster.Team) bool { return t.ReadsCaptions(sub.Platform) }) {
		return p.haveAsked(ctx, sub)
	}
	key := string(sub.Platform) + "/" + sub.ExternalID + "/" + sub.Languages.String()
	ch := p.lookups.same.DoChan(key, func() (any, error) {
		// A reader that comes after the first reader's time is up has the platform
		// asked again.
		defer time.AfterFunc(p.cfg.LookupBudget, func() { p.lookups.same.Forget(key) }).Stop()
		if a, ok := p.lookups.since(begun, key); ok {
			return a, nil
		}
		known := new(replySoFar)
		p.lookups.soFar.Store(key, known)
		defer p.lookups.soFar.CompareAndDelete(key, known) // the same question may be asked again by now
		a, err := p.askInTurn(sub, func(f finding, err error) { known.Store(&reply{answered{finding: f}, fault.Coded(err)}) })
		if err == nil {
			p.lookups.hold(key, a)
		}
		return a, err
	})
	budget := time.NewTimer(p.cfg.LookupBudget)
	defer budget.Stop()
	select {
	case res := <-ch:
		return res.Val.(answered), res.Err
	case <-budget.C:
		known := p.lookups.known(key)
		if known == nil {
			return answered{}, notAsked()
		}
		late := reply{err: p.tooLate()}
		if !countsMore(late.err, known.err) {
			late = *known
		}
		return late.answered, late.err
	case <-ctx.Done():
		return answered{}, context.Cause(ctx)
	}
}

// known is the best reply so far to a question under way; nil: the platform is not asked yet.
func (l *lookups) known(key string) *reply {
	if known, underWay := l.soFar.Load(key); underWay {
		return known.(*replySoFar).Load()
	}
	return nil
}

// tooLate is the answer of a platform that has not answered in time.
func (p *Pipeline) tooLate() error {
	return transcript.Errorf(transcript.UpstreamFailed, "The platform did not answer within %s.", p.cfg.LookupBudget)
}

// lateAnswer is how much longer than a reader waits a platform may take to answer: what
// comes then goes into the cache. It is enough for a reader who joined late, too.
const lateAnswer = 20 * time.Second

// lookupTime is how long a question of readers is asked, its wait for a slot included.
func (p *Pipeline) lookupTime() time.Duration { return p.cfg.LookupBudget + lateAnswer }

// askInTurn asks the platform when a slot is free, also when the reader has gone by
// then.
func (p *Pipeline) askInTurn(sub subject.Subject, soFar func(finding, error)) (a answered, err error) {
	asking, cancel := context.WithTimeout(p.lookups.ctx, p.lookupTime())
	defer cancel()
	if err := p.lookups.take(asking); err != nil {
		return a, notAsked().Because(err)
	}
	defer p.lookups.give()
	soFar(finding{}, p.tooLate())
	return p.askAndKeep(p.lookups.ctx, asking, sub, soFar)
}

// askAndKeep asks the platform within the context asking, and stores the answer within
// ctx: a late answer leaves the database as much time as an early answer.
func (p *Pipeline) askAndKeep(ctx, asking context.Context, sub subject.Subject, soFar func(finding, error)) (a answered, err error) {
	err = fault.Guard(func() (err error) { // a panic would end the process from here
		a.finding, err = p.ask(asking, sub, soFar)
		return err
	})
	if err != nil {
		return a, fault.Coded(err) // as for a job, so that an old text is served here too
	}
	return a, p.keepFinding(ctx, sub, &a)
}

func (p *Pipeline) keepFinding(ctx context.Context, sub subject.Subject, a *answered) (err error) {
	var text *db.Transcript
	if a.Track != nil {
		text = a.finding.text(sub)
		ctx = db.Sized(ctx, text.Size())
	}
	return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if err := putContent(ctx, tx, sub, a.finding); err != nil || text == nil {
			return err
		}
		id, err := tx.Transcripts.Put(ctx, text)
		if err == nil {
			a.text, err = tx.Transcripts.ByID(ctx, id) // it may have kept an older id and time
		}
		return err
	})
}

// refusal is the coded error of a lookup that got no answer. It is nil where the
// content is gone, which is an answer, and for faults that carry no code.
func refusal(err error) *transcript.Error {
	var coded *transcript.Error
	if !errors.As(err, &coded) || coded.Code == transcript.Unavailable {
		return nil
	}
	return coded
}
