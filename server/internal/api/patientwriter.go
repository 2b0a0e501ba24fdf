package api

import (
	"net/http"
	"slices"
	"time"
)

// streamChunk is how many bytes of a long answer are sent at once.
const streamChunk = 64 << 10

// patientWriter sends a long answer, and gives up on a client that does not take a chunk in time.
// While patientWriter waits, it holds no connection to the database.
type patientWriter struct {
	w             http.ResponseWriter
	control       *http.ResponseController
	patience      time.Duration
	begun, failed bool
}

func (p *patientWriter) Write(b []byte) (written int, err error) {
	for chunk := range slices.Chunk(b, streamChunk) {
		// A writer without deadlines (in a handler's own test) has no slow reader.
		_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
		p.begun = true
		n, err := p.w.Write(chunk)
		if written += n; err != nil {
			p.failed = true
			return written, err
		}
	}
	return written, nil
}
