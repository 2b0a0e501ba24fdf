package refusal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/linkcodes"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// docs/operate/link-codes.md explains every refusal and quotes every cure.
func TestRefusalsAreExplained(t *testing.T) {
	t.Parallel()
	rows := linkcodes.Read(t, "../../../../docs/operate/link-codes.md")
	for _, r := range []refusal.Refusal{
		refusal.Gone, refusal.Private, refusal.Members, refusal.Elsewhere, refusal.Upcoming,
		refusal.Login, refusal.Age, refusal.CaptionToken, refusal.MediaToken, refusal.Blocked, refusal.Limited,
	} {
		assert.True(t, linkcodes.Has(rows, r.Code, r.Message), "docs/operate/link-codes.md does not explain %s: %s", r.Code, r.Message)
	}
	for _, code := range []transcript.Code{transcript.IPBlocked, transcript.LoginRequired, transcript.POTokenRequired} {
		assert.True(t, linkcodes.Has(rows, code, engine.Cure(code)), "docs/operate/link-codes.md does not quote the cure of %s: %s", code, engine.Cure(code))
	}
}
