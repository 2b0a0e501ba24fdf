package account

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// sourcePatience is how long a request waits for a PlanSource. An answer is remembered for
	// a second more, so a change in the source takes effect within 5 s.
	sourcePatience = 3 * time.Second
	// sourceRetry is the Retry-After of requests that fail because the PlanSource fails.
	sourceRetry = 2 // seconds
	// mostCalls limits the calls about one account that have not returned.
	mostCalls = 3
)

// inquiries are the current questions to a PlanSource. For each account there is at most one
// open question, and at most one new question a second. The map has at most as many entries
// as there are accounts in use.
type inquiries struct {
	source    PlanSource
	byAccount sync.Map   // of *inquiry
	beginning sync.Mutex // held while a shared inquiry begins
}

// inquiry is the question for an account's plan, and the answer.
type inquiry struct {
	about    Account
	calls    *atomic.Int32 // calls of the source for this account that have not returned
	done     chan struct{} // closed when the answer is there: after sourcePatience at most
	plan     Plan
	err      error
	answered time.Time
}

// of returns the plan of an account. The answer may be up to a second old.
func (s *inquiries) of(ctx context.Context, about Account) (Plan, error) {
	q := s.current(ctx, about)
	select {
	case <-q.done:
		return q.plan, q.err
	default:
	}
	select {
	case <-q.done:
		return q.plan, q.err
	case <-ctx.Done():
		return Plan{}, ctx.Err()
	}
}

// current returns the valid inquiry, or begins a new one.
func (s *inquiries) current(ctx context.Context, about Account) *inquiry {
	if q := s.known(about); q != nil {
		return q
	}
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if q := s.known(about); q != nil {
		return q
	}
	q := &inquiry{about: about, calls: new(atomic.Int32), done: make(chan struct{})}
	if before, ok := s.byAccount.Swap(about.Name, q); ok {
		q.calls = before.(*inquiry).calls // the map stores nothing else
	}
	// Other requests share the inquiry, so it continues if the request that began it is
	// canceled.
	go q.run(context.WithoutCancel(ctx), s.source)
	return q
}

func (s *inquiries) known(about Account) *inquiry {
	v, ok := s.byAccount.Load(about.Name)
	if !ok {
		return nil
	}
	q := v.(*inquiry) // the map stores nothing else
	if q.about.Plan != about.Plan || !q.about.UpdatedAt.Equal(about.UpdatedAt) {
		return nil // the account was changed since
	}
	select {
	case <-q.done:
		if time.Since(q.answered) >= rememberFor {
			return nil
		}
	default:
	}
	return q
}

func (q *inquiry) run(ctx context.Context, source PlanSource) {
	q.plan, q.err = askInTime(ctx, source, q.about, q.calls)
	q.answered = time.Now()
	close(q.done)
}

// askInTime asks the source and waits at most sourcePatience. A call that ignores the end of
// its context is abandoned. After mostCalls abandoned calls, the source is asked again only
// when one of them has returned.
func askInTime(ctx context.Context, source PlanSource, about Account, calls *atomic.Int32) (Plan, error) {
	if calls.Load() >= mostCalls {
		return Plan{}, noAnswer(about, fmt.Errorf("the last %d calls of the PlanSource have not returned", mostCalls))
	}
	type answer struct {
		plan Plan
		err  error
	}
	answers := make(chan answer, 1) // the receiver may have left
	ctx, cancel := context.WithTimeout(ctx, sourcePatience)
	defer cancel()
	calls.Add(1)
	go func() {
		a := answer{err: noAnswer(about, errors.New("it ended without an answer"))}
		defer func() {
			if crash := recover(); crash != nil {
				a = answer{err: noAnswer(about, fmt.Errorf("panic: %v\n%s", crash, debug.Stack()))}
			}
			calls.Add(-1)
			answers <- a
		}()
		a.plan, a.err = ask(ctx, source, about)
	}()
	select {
	case a := <-answers:
		return a.plan, a.err
	case <-ctx.Done():
		return Plan{}, noAnswer(about, fmt.Errorf("no answer within %v: %w", sourcePatience, ctx.Err()))
	}
}

// ask asks the source for the plan of an account. The error is an ErrNoPlan together with the
// strictest plan, or a *transcript.Error that says why the plan is not known.
func ask(ctx context.Context, source PlanSource, about Account) (Plan, error) {
	plan, err := source.PlanOf(ctx, about)
	switch {
	case errors.Is(err, ErrNoPlan):
		plan = Plan{Name: about.Plan, ActionLabel: plan.ActionLabel, ActionURL: plan.ActionURL}
	case err != nil:
		return Plan{}, noAnswer(about, err)
	}
	if bad := plan.check(); bad != nil {
		return Plan{}, transcript.Errorf(transcript.ConfigError, "The plan of this account cannot be used.").
			Because(fmt.Errorf("account: plan %q of account %s: %w", plan.Name, about.Name, bad))
	}
	return plan, err
}

func noAnswer(about Account, err error) error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "The plan of this account cannot be determined at the moment.")
	e.RetryAfter = sourceRetry
	return e.Because(fmt.Errorf("account: asking for the plan of account %s: %w", about.Name, err))
}
