package server

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// bodyPatience is how long a request's body may stand still.
const bodyPatience = time.Minute

// patientBody lets a body take as long as it moves: a slow upload lives, one
// that stands still dies, also where nobody reads it.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	until   time.Time
}

func newPatientBody(body io.ReadCloser, control *http.ResponseController) *patientBody {
	b := &patientBody{ReadCloser: body, control: control}
	b.extend()
	return b
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.extend()
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// What the handler does now may take long.
		_ = b.control.SetReadDeadline(time.Time{}) // as in extend
	}
	return n, err
}

// extend moves the deadline, not at every read.
func (b *patientBody) extend() {
	if now := time.Now(); b.until.Sub(now) < bodyPatience/2 {
		b.until = now.Add(bodyPatience)
		_ = b.control.SetReadDeadline(b.until) // a writer without deadlines has no slow peers
	}
}
