package edge

import (
	"net/http"
	"time"
)

// Patient is next with the API's bounds on slow clients, for other handlers of the
// program around the API. A client that sends a body may stand still for a minute. From
// half a minute on, the client must have sent 4 KiB for every second beyond. A client
// that reads an answer may take 2 minutes. A Read or a Write beyond the bounds fails,
// and the connection ends. A handler may set its own write deadline, as a stream does.
//
// Patient may also stand in front of the API, which already has these bounds. If the
// writer knows no deadlines, as in a handler's own test, there are no bounds.
func Patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &patientAnswer{recorder: recorder{ResponseWriter: w}}
		control := http.NewResponseController(w)
		// The request before this one on the connection may have left a deadline.
		_ = control.SetWriteDeadline(time.Time{}) // not every writer has deadlines
		r = r.WithContext(r.Context())            // a copy, whose body may be replaced
		answer.limitBody(r, control)
		next.ServeHTTP(answer, r)
	})
}

// patientAnswer is an answer that the client must read within AnswerTimeout.
type patientAnswer struct {
	recorder
	limited bool // the answer has a deadline, from Patient or from the handler
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
