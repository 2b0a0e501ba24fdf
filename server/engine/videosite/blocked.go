package videosite

import (
	"cmp"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blocked is the error of a site that blocks the server for the time that it names; 0 means
// that the site names none.
func blocked(pause time.Duration, why error) *transcript.Error {
	r := refusal.Blocked
	r.Pause = cmp.Or(pause, r.Pause)
	return r.Because(why)
}

// broken is the error for a useless answer.
func broken(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message)
}
