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

// A request has three phases, and each phase has a type that extends the previous one: a Submission
// says who asks for what, allowed adds what the plan and the team permit, and an order says what to
// make.

// Wish has the optional wishes of a request. The zero value has no wishes.
type Wish struct {
	// Languages is the caller's list; nil if the request has none.
	Languages transcript.LanguageList
	View      view.View
	// Prompt holds names and words that are likely to be said in a file, in addition to the
	// account's prompt; empty means none.
	Prompt string
	// KeepMedia is how long a file is kept after its text is ready, in whole seconds; 0 means
	// that it is not kept. The caller has checked it against the plan.
	KeepMedia time.Duration
	// RecordingOf is the id of the upload whose text gets the file as its recording: the file is
	// kept, and nothing is recognized. Empty means that the request wants a text. KeepMedia is
	// then above 0, and the languages, Prompt and Listening have no effect.
	RecordingOf string
	// Listening is how the service listens to the sound. Its values that are the service's
	// defaults count as the zero value.
	Listening transcript.Listening
}

// Submission is a valid request of an account.
type Submission struct {
	Account string
	// Plan is the plan of the account.
	Plan account.Plan
	// Content is the content of a link; the zero value for a file.
	Content engine.Content
	Wish
	// Admit is called before a job is made that the plan permits, at most once and outside
	// of a transaction; its error is the answer. nil admits every job.
	Admit func(context.Context) error
	// Key is the idempotency key that the request holds; nil means that it has none. The
	// transaction that writes the subject of the answer records it.
	Key *db.HeldKey
}

// allowed is a submission with what the plan and the team permit.
type allowed struct {
	Submission
	file *File // nil for a link

	limits    db.Limits
	ttl       time.Duration           // the greatest age of a stored text that answers it
	trace     string                  // as of a db.Job
	team      cluster.Team            // the processes that may do the work
	languages transcript.LanguageList // the wishes that apply, as the team recognizes them
	// item is the item of a batch; nil for a single request. An item runs after single
	// requests, and waits if it is refused.
	item *db.BatchItem
	// followed says that it is an item of a follow. Nobody waits for it, so it runs after
	// single requests, like an item of a batch.
	followed bool
}

// order is what to make for a submission.
type order struct {
	allowed
	sub subject.Subject // with the prompts of the account and of the wish, for a file
}

// allow determines what the plan and the team now permit for a submission. file is nil for a
// link.
func (i *Intake) allow(ctx context.Context, s Submission, file *File) allowed {
	if s.RecordingOf != "" {
		s.Languages, s.Prompt, s.Listening = nil, "", transcript.Listening{} // any text of the file
	}
	a := allowed{
		Submission: s, file: file, limits: limits.Of(s.Plan, time.Now()), ttl: s.Plan.CacheTTL, trace: i.Trace(ctx), team: i.cluster.Team(ctx),
	}
	a.languages = a.narrow()
	return a
}

// order decides what to make from what is permitted.
func (i *Intake) order(ctx context.Context, a allowed) (order, error) {
	prompt, err := i.promptFor(ctx, a)
	if err != nil {
		return order{}, fmt.Errorf("intake: reading the prompt: %w", err)
	}
	return order{a, a.subject(prompt)}, nil
}
