package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An account's prompt guides only the recognition of its uploads: the text of a link
// belongs to all accounts. With another prompt, a recording is recognized again.

// promptFor is the prompt that a submission is recognized with.
func (p *Pipeline) promptFor(ctx context.Context, s Submission) (string, error) {
	if s.Upload == nil || !s.team.TakesPrompts() {
		return "", nil
	}
	return p.store.Accounts.Prompt(ctx, s.Account)
}

// heardAlike reports whether a stored text was heard with the prompt of a submission.
// If no recognizer of the team takes prompts, any text counts.
func (s Submission) heardAlike(t db.ShelfText) bool {
	return t.Source != transcript.OriginASR || s.Upload == nil || !s.team.TakesPrompts() || t.PromptSum == db.PromptSum(s.prompt)
}

// Standing returns what an account has used in the period that begins at start, its places
// for recognition, and the key of the request.
func (p *Pipeline) Standing(ctx context.Context, account, keyID string, start time.Time) (db.Standing, error) {
	return p.store.Accounts.Standing(ctx, account, keyID, start)
}
