package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A process that cannot ask a platform has another process ask it. The process writes
// the question into the table of lookups, with a step in a queue of its own, and waits
// for the answer there. The asking process stores the platform's answer for the cache,
// even if no reader waits any longer.

// lookupArgs is the step of a question that readers of another process have.
type lookupArgs struct {
	Lookup string `json:"lookup"`
}

func (lookupArgs) Kind() string  { return "lookup" }
func (lookupArgs) Queue() string { return queueLookups }

// noWorkersRetry is when to ask again where no process works: seconds.
const noWorkersRetry = 5

// haveAsked is lookup through another process. If no other process works, haveAsked
// returns at once.
func (p *Pipeline) haveAsked(ctx context.Context, sub subject.Subject) (answered, error) {
	l, err := p.askOthers(ctx, lookupOf(sub), p.cfg.LookupBudget, func(id string) db.Step { return lookupArgs{Lookup: id} })
	switch {
	case err != nil:
		return answered{}, err
	case l.Answer == nil:
		return answered{}, p.tooLate()
	}
	return p.readAnswer(ctx, l.Answer)
}

// askOthers writes a question down, with the step that asks it, and waits for the last
// answer, at most as long as the budget. It returns the question in its state at that
// moment.
func (p *Pipeline) askOthers(ctx context.Context, l *db.Lookup, budget time.Duration, step func(id string) db.Step) (*db.Lookup, error) {
	if len(p.cluster.Living(ctx)) == 0 {
		return nil, notAsked().Because(ErrNoWorkers)
	}
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		asked, err := tx.Lookups.Put(ctx, l, budget)
		if err != nil || !asked { // it is under way
			return err
		}
		return tx.Enqueue(ctx, step(l.ID))
	})
	if err != nil {
		return nil, fmt.Errorf("pipeline: having a platform asked: %w", err)
	}
	l, err = p.awaitAnswer(ctx, l.ID, budget)
	if err == nil && l.Answer == nil && !p.takenUp(ctx, l.ID) {
		return nil, notAsked()
	}
	return l, err
}

// notAsked is the answer where the service has not come to ask the platform, which is not
// to blame.
func notAsked() *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "No process of the service can ask the platform just now.")
	e.RetryAfter = noWorkersRetry
	return e
}

// takenUp reports whether a process that gives signs of life has begun to ask a question.
// One that has just died is still in the list of processes.
func (p *Pipeline) takenUp(ctx context.Context, id string) bool {
	awake, err := p.cluster.Awake(ctx)
	var taken bool
	if err == nil {
		taken, err = p.store.TakenUp(ctx, id, awake)
	}
	if err != nil {
		p.log.WarnContext(ctx, "whether somebody asks a question is not known", "lookup", id, "err", err)
	}
	return taken
}

// awaitAnswer returns the question as soon as it has its last answer, or in its state
// when the time is up.
func (p *Pipeline) awaitAnswer(ctx context.Context, id string, longest time.Duration) (*db.Lookup, error) {
	wake, stop := p.store.Watch(id)
	defer stop()
	budget := time.NewTimer(longest)
	defer budget.Stop()
	tick := time.NewTicker(time.Second) // a signal may be lost
	defer tick.Stop()
	for late := false; ; {
		l, err := p.store.Lookups.ByID(ctx, id)
		if err != nil || l.EndedAt != nil || late {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-budget.C:
			late = true
		case <-wake:
		case <-tick.C:
		}
	}
}

// readAnswer is an answer as lookup returns it.
func (p *Pipeline) readAnswer(ctx context.Context, found *db.Answered) (a answered, err error) {
	a.Captions = engine.Captions{Metadata: found.Metadata, Tracks: found.Tracks}
	if found.Error != nil {
		return a, found.Error
	}
	if found.TranscriptID != "" {
		a.text, err = p.store.Transcripts.ByID(ctx, found.TranscriptID)
	}
	return a, err
}

// answerReaders asks a platform for readers of other processes.
func (p *Pipeline) answerReaders(ctx context.Context, w db.Work, step lookupArgs) error {
	ctx = db.Unhurried(ctx)
	l, late, err := p.question(ctx, step.Lookup, p.cfg.LookupBudget)
	switch {
	case err != nil || l == nil:
		return err
	case late:
		return p.tell(ctx, l.ID, answered{}, p.tooLate(), true)
	case p.cluster.OnlyOthers(ctx, func(t cluster.Team) bool { return t.ReadsCaptions(l.Platform) }):
		return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return errors.Join(tx.EnqueueAt(ctx, step, time.Now().Add(elsewherePause)), tx.Finish(ctx, w))
		})
	}
	asking, cancel := context.WithTimeout(ctx, p.lookupTime())
	defer cancel()
	found, err := p.askAndKeep(ctx, asking, subjectOfLookup(l), func(f finding, err error) {
		if countsMore(p.tooLate(), err) {
			return // it is what a reader is told whose time is up
		}
		if err := p.tell(ctx, l.ID, answered{finding: f}, err, false); err != nil {
			p.log.WarnContext(ctx, "what is known so far is not told", "lookup", l.ID, "err", err)
		}
	})
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	case errors.Is(err, db.ErrUnavailable):
		return err // it is asked again when the database is back
	}
	return p.tell(context.WithoutCancel(ctx), l.ID, found, err, true)
}

// question returns the question of readers, or nil if no reader waits for the answer
// any longer. late says that the readers asked longer ago than they wait.
func (p *Pipeline) question(ctx context.Context, id string, patience time.Duration) (l *db.Lookup, late bool, err error) {
	l, err = p.store.Lookups.ByID(ctx, id)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case l.EndedAt != nil:
		return nil, false, nil // a process that was taken for dead has answered
	}
	now, err := p.store.Now(ctx)
	return l, now.Sub(l.AskedAt) > patience, err
}

// tell writes down what a platform has answered; last: there is no more to come.
func (p *Pipeline) tell(ctx context.Context, id string, found answered, cause error, last bool) error {
	a := db.Answered{Metadata: found.Metadata, Tracks: found.Tracks}
	if cause != nil {
		a.Error = fault.Coded(cause)
	}
	if found.text != nil {
		a.TranscriptID = found.text.ID
	}
	return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Lookups.Answer(ctx, id, a, last) })
}

func lookupOf(sub subject.Subject) *db.Lookup {
	return &db.Lookup{Platform: sub.Platform, ExternalID: sub.ExternalID, Languages: sub.Languages.String(), SourceURL: sub.URL}
}

func subjectOfLookup(l *db.Lookup) subject.Subject {
	s := subject.Subject{Content: engine.Content{Platform: l.Platform, ExternalID: l.ExternalID, URL: l.SourceURL}}
	if l.Languages != "" {
		// As in subjectOfExtraction: only canonical lists are stored.
		s.Languages, _ = transcript.ParseLanguageList(l.Languages)
	}
	return s
}
