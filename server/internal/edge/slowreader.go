package edge

import (
	"net/http"
	"time"
)

// Patient is next with the API's bounds on slow clients, for what a program serves
// beside the API: who sends a body may stand still for a minute, and from half a minute
// on must have sent 4 KiB for every second beyond; who reads an answer may take 2
// minutes. A Read or a Write beyond them fails, and with it the connection ends. A
// handler that sets a write deadline itself, as one of a stream does, has that one.
//
// It may stand before the API as well, which has these bounds already. A writer that
// knows no deadlines, as in a handler's own test, has none.
func Patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &patientAnswer{recorder: recorder{ResponseWriter: w}}
		control := http.NewResponseController(w)
		// A deadline of the request before this one on the connection is not ours.
		_ = control.SetWriteDeadline(time.Time{}) // not every writer has deadlines
		r = r.WithContext(r.Context())            // a copy, whose body is ours
		answer.limitBody(r, control)
		next.ServeHTTP(answer, r)
	})
}

// patientAnswer is an answer that has answerTimeout from when it begins.
type patientAnswer struct {
	recorder
	limited bool // it has a deadline, or the handler has set one
}

// SetWriteDeadline is called by an http.ResponseController.
func (a *patientAnswer) SetWriteDeadline(until time.Time) error {
	a.limited = true
	return http.NewResponseController(a.ResponseWriter).SetWriteDeadline(until)
}

func (a *patientAnswer) limit() {
	if !a.limited {
		_ = a.SetWriteDeadline(time.Now().Add(AnswerTimeout)) // as in Patient
	}
}

func (a *patientAnswer) WriteHeader(status int) {
	a.limit()
	a.recorder.WriteHeader(status)
}

func (a *patientAnswer) Write(b []byte) (int, error) {
	a.limit()
	return a.recorder.Write(b)
}
