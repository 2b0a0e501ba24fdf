package transcribe

import (
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
)

// upload shows how a file is sent, and where the sending goes on after a break.
type upload struct {
	line   *progress.Line
	tell   func(what string) // writes a permanent line
	broken atomic.Bool       // and no byte has been sent since
}

// sent shows that so many bytes of the file are sent.
func (u *upload) sent(sent, total int64) {
	if u.broken.Swap(false) && sent > 0 {
		u.tell("The upload broke off at " + progress.Size(sent) + ", and goes on there.")
	}
	u.line.Bytes("sending", sent, total)
}

// broke shows a break, and the pause after it.
func (u *upload) broke(err error, pause time.Duration) {
	u.broken.Store(true)
	noteBreak(u.line, err, pause)
}
