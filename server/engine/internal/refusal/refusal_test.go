package refusal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestBecause(t *testing.T) {
	t.Parallel()
	why := errors.New("a log line")
	for _, test := range []struct {
		refusal  refusal.Refusal
		code     transcript.Code
		after    int
		notFound bool
	}{
		{refusal.Gone, transcript.Unavailable, 0, false},
		{refusal.Blocked, transcript.IPBlocked, 30, false},
		{refusal.Limited, transcript.IPBlocked, 600, false},
		{refusal.Refusal{Code: transcript.Unavailable, Message: "m", NotFound: true}, transcript.Unavailable, 0, true},
		{refusal.Refusal{Code: transcript.IPBlocked, Message: "m", Pause: 1200 * time.Millisecond}, transcript.IPBlocked, 2, false},
	} {
		err := test.refusal.Because(why)
		assert.ErrorIs(t, err, test.code)
		assert.ErrorIs(t, err, why)
		assert.Equal(t, test.refusal.Message, err.Message)
		assert.Equal(t, test.after, err.RetryAfter)
		assert.Equal(t, test.notFound, errors.Is(err, engine.ErrNothingFound))
	}
}
