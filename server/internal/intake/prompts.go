package intake

import (
	"context"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The prompts of an account and of a request guide only the recognition of uploads: the text of
// a link belongs to all accounts. With another prompt, a recording is recognized again.

// promptFor returns the prompt for the recognition of a submission.
func (i *Intake) promptFor(ctx context.Context, a allowed) (string, error) {
	if a.file == nil || !a.team.TakesPrompts() {
		return "", nil
	}
	prompt, err := i.store.Accounts.Prompt(ctx, a.Account)
	return joinPrompts(prompt, a.Prompt), err
}

// joinPrompts returns the end of both prompts that a recognizer uses: see
// [account.MaxPrompt].
func joinPrompts(ofAccount, ofRequest string) string {
	if ofAccount == "" || ofRequest == "" {
		return ofAccount + ofRequest
	}
	all := []rune(ofAccount + ", " + ofRequest)
	return strings.TrimSpace(string(all[max(len(all)-account.MaxPrompt, 0):]))
}

// heardAlike reports whether a stored text was recognized in the same way as a submission
// requires, with its prompt. A recording is added to any text. If no recognizer of the team takes prompts, any text counts.
func (o order) heardAlike(t db.ShelfText) bool {
	switch {
	case t.Source != transcript.OriginASR, o.RecordingOf != "":
		return true
	case o.file == nil || !o.team.TakesPrompts():
		return subject.HeardAs(t.PromptSum, o.sub.Listening)
	}
	return t.PromptSum == subject.HeardSum(o.sub.Prompt, o.sub.Listening)
}

// Standing returns what an account has used in the period that begins at start, its places
// for recognition, and the key of the request.
func (i *Intake) Standing(ctx context.Context, account, keyID string, start time.Time) (db.Standing, error) {
	return i.store.Accounts.Standing(ctx, account, keyID, start)
}
