package pipeline

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An account's prompt guides the recognition of its uploads and of nothing else: what is
// heard in a link is everybody's. With another prompt a recording is recognized anew.

// promptFor is the prompt that a submission is recognized with.
func (p *Pipeline) promptFor(ctx context.Context, s Submission) (string, error) {
	if s.Upload == nil || !s.team.TakesPrompts() {
		return "", nil
	}
	return p.store.Accounts.Prompt(ctx, s.Account)
}

// heardAlike reports whether a stored text was heard with the prompt of a submission.
// Where nobody takes prompts, the text of one who did is as good.
func (s Submission) heardAlike(t db.ShelfText) bool {
	return t.Source != transcript.OriginASR || s.Upload == nil || !s.team.TakesPrompts() || t.PromptSum == db.PromptSum(s.prompt)
}
