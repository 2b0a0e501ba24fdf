package work

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/audio"
)

// Retention is how long ended work is kept.
type Retention struct {
	Jobs     time.Duration // with their events and pieces of work, after their end
	Answers  time.Duration // of idempotency keys
	Finished time.Duration // rows of the queue
	// Audio is how long the audio of work stays after its end: see db.WorksTx.LeaveAudio.
	Audio time.Duration
	// Every is the time between two sweeps.
	Every time.Duration
	// Stranded is the time between two searches for work that is missing from every queue.
	Stranded time.Duration
}

// DefaultRetention is the retention of every service.
func DefaultRetention() Retention {
	return Retention{Jobs: 7 * 24 * time.Hour, Answers: 24 * time.Hour, Finished: time.Hour, Audio: audio.Stays, Every: time.Hour, Stranded: strandedEvery}
}

const strandedEvery = 2 * time.Minute
