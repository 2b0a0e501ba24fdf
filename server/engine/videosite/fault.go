package videosite

import (
	"cmp"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blocked is the error of a site that wants to be left alone, for as long as it
// says; 0: it does not say.
func blocked(pause time.Duration, why error) *transcript.Error {
	r := refusal.Blocked
	r.Pause = cmp.Or(pause, r.Pause)
	return r.Because(why)
}

// broken is an answer that is not one.
func broken(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message)
}
