package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A request is known in three phases, and each phase has a type that adds to the one before: a
// Submission is who asks for what, allowed is what the plan and the team allow to it, and an order is
// what is to be made.

// Wish is what the caller of a request wishes. The zero value wishes nothing.
type Wish struct {
	// Languages is the caller's list; nil when none was sent.
	Languages transcript.LanguageList
	View      view.View
	// Prompt holds names and words that are likely to be said in a file, in addition to the
	// account's prompt; empty means none.
	Prompt string
	// KeepMedia is how long a file is kept after its text is there, in whole seconds; 0 means
	// that it is not. The caller has judged it by the plan.
	KeepMedia time.Duration
	// Listening is how the sound is heard. Its values that are the service's defaults count as
	// the zero value.
	Listening transcript.Listening
}

// Submission is a valid request of an account.
type Submission struct {
	Account string
	// Plan is what the account may have.
	Plan account.Plan
	// Content is that of a link; the zero value for a file.
	Content engine.Content
	Wish
	// Admit is called before a job is made that the plan has room for, at most once
	// and in no transaction; its error is the answer. nil admits every job.
	Admit func(context.Context) error
	// Key is the idempotency key that the request holds; nil means that it has none. The
	// transaction that writes what the answer speaks of records it.
	Key *db.HeldKey
}

// allowed is a submission with what the plan and the team allow to it.
type allowed struct {
	Submission
	file *File // nil: of a link

	limits    db.Limits
	ttl       time.Duration           // how old a stored text may be that answers it
	trace     string                  // as of a db.Job
	team      cluster.Team            // the processes that may do the work
	languages transcript.LanguageList // those of the wish that count, as the team recognizes them
	// item is the item of a batch that it is; nil means that it is asked for by itself. An
	// item goes after what is, and waits where that is refused.
	item *db.BatchItem
	// followed tells that it is an item of a follow. Nobody waits for it, so it goes after
	// what is asked for by itself, as an item of a batch does.
	followed bool
}

// order is what is to be made of a submission.
type order struct {
	allowed
	sub subject.Subject // with the prompt of the account and of the wish, for a file
}

// allow finds out what the plan and the team allow to a submission now. file is nil for a link.
func (i *Intake) allow(ctx context.Context, s Submission, file *File) allowed {
	a := allowed{
		Submission: s, file: file, limits: limits.Of(s.Plan, time.Now()), ttl: s.Plan.CacheTTL, trace: i.Trace(ctx), team: i.cluster.Team(ctx),
	}
	a.languages = a.narrow()
	return a
}

// order decides what is to be made of what is allowed.
func (i *Intake) order(ctx context.Context, a allowed) (order, error) {
	prompt, err := i.promptFor(ctx, a)
	if err != nil {
		return order{}, fmt.Errorf("intake: reading the prompt: %w", err)
	}
	return order{a, a.subject(prompt)}, nil
}
