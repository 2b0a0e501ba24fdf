package edge

import (
	"net/http"
	"time"
)

// recorder remembers the status and the size of an answer, and cuts off a client that reads the
// answer too slowly. See [patience]. Each event of an event stream has eventTimeout instead. If
// a handler sets a write deadline with an http.ResponseController, only that deadline applies.
type recorder struct {
	http.ResponseWriter
	control *http.ResponseController // of ResponseWriter
	body    *PatientBody             // of the request; nil means no body
	status  int
	written int64
	failed  bool // the client has not read a part of the answer

	pacing   pacing
	http2    bool // deadlines also apply while nothing is written
	patience patience
	until    time.Time // the deadline
}

// pacing ends a slow answer.
type pacing int

const (
	byPatience pacing = iota
	byEvent
	byHandler // or by a recorder around this one
)

// eventTimeout is how long a client may take to read an event.
const eventTimeout = 10 * time.Second

// writeChunk is how many bytes of an answer are written at once.
const writeChunk = 64 << 10

// newRecorder records the answer to r, and gives the body of r its deadlines. A recorder
// inside of another one leaves the deadlines to that one.
func newRecorder(w http.ResponseWriter, r *http.Request) *recorder {
	rec := &recorder{ResponseWriter: w, control: http.NewResponseController(w), patience: patience(grace), http2: r.ProtoMajor > 1}
	if _, inside := w.(*recorder); inside {
		rec.pacing = byHandler
	} else {
		rec.deadline(time.Time{}) // the previous request on the connection may have left a deadline
	}
	rec.limitBody(r)
	return rec
}

// limitBody gives the body of a request its deadline, unless an outer handler has done so.
func (w *recorder) limitBody(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	body, ok := r.Body.(*PatientBody)
	if !ok {
		body = NewPatientBody(r.Body, w.control)
		r.Body = body
	}
	w.body = body
}

// begin is called before anything is written. A gzip answer gets its own ETag. A refusal
// is sent at once, even if the body is still arriving.
func (w *recorder) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	h := w.Header()
	if h["Etag"] != nil && h.Get("Content-Encoding") == "gzip" {
		h.Set("ETag", GzipTag(h.Get("ETag")))
	}
	if w.pacing == byPatience && h.Get("Content-Type") == eventsType {
		w.pacing = byEvent
	}
	if status >= http.StatusBadRequest && w.abandons() {
		h.Set("Connection", "close")
		w.body.abandon()
	}
}

// eventsType is the media type of event streams.
const eventsType = "text/event-stream"

// abandons reports whether the answer ends before the body. In HTTP/2 no answer waits for a body.
func (w *recorder) abandons() bool { return w.body != nil && !w.body.ended && !w.http2 }

// end is called when the handler has returned. The bytes that net/http then sends or reads are
// limited too.
func (w *recorder) end() {
	if w.status != 0 && w.pacing == byPatience {
		w.wait(time.Now())
	}
	if w.status != 0 && w.abandons() {
		w.body.abandon()
	}
}

// Unwrap lets http.ResponseController find the writer below the recorder.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if status >= http.StatusOK { // otherwise the answer follows
		w.begin(status)
	} else {
		w.wait(time.Now())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (written int, err error) {
	w.begin(http.StatusOK)
	for w.pacing == byPatience && len(b)-written > writeChunk {
		n, err := w.write(b[written : written+writeChunk])
		if written += n; err != nil {
			return written, err
		}
	}
	n, err := w.write(b[written:])
	return written + n, err
}

func (w *recorder) write(b []byte) (int, error) {
	began := time.Now()
	w.wait(began)
	n, err := w.ResponseWriter.Write(b)
	w.written += int64(n)
	w.waited(began, n, err)
	return n, err
}

// FlushError is called by an http.ResponseController.
func (w *recorder) FlushError() error {
	w.begin(http.StatusOK)
	began := time.Now()
	w.wait(began)
	err := w.control.Flush()
	w.waited(began, 0, err)
	return err
}

// Flush implements http.Flusher.
func (w *recorder) Flush() { _ = w.FlushError() } // a later Write fails too

// SetWriteDeadline is called by an http.ResponseController.
func (w *recorder) SetWriteDeadline(until time.Time) error {
	w.pacing = byHandler
	return w.control.SetWriteDeadline(until)
}

// wait sets the deadline of a wait for the client. It moves the deadline at most once a second.
func (w *recorder) wait(now time.Time) {
	until := w.patience.until(now)
	switch w.pacing {
	case byHandler:
		return
	case byEvent:
		until = now.Add(eventTimeout)
	case byPatience:
	}
	if d := until.Sub(w.until); d >= time.Second || d < 0 {
		w.deadline(until)
	}
}

// waited accounts for a wait.
func (w *recorder) waited(began time.Time, n int, err error) {
	w.failed = w.failed || err != nil
	if w.pacing == byHandler {
		return
	}
	w.patience.moved(n, time.Since(began))
	if w.http2 {
		w.deadline(time.Time{}) // an expired deadline would end the answer
	}
}

func (w *recorder) deadline(until time.Time) {
	w.until = until
	_ = w.control.SetWriteDeadline(until) // a writer without deadlines has no slow clients
}
