package edge

import (
	"net/http"
)

// recorder remembers the status and the size of the answer.
type recorder struct {
	http.ResponseWriter
	body    *PatientBody // of the request; nil: no body
	status  int
	written int64
}

// limitBody gives the body of a request its deadline, unless an outer handler has done so. The
// result is nil if the request has no body.
func (w *recorder) limitBody(r *http.Request, control *http.ResponseController) *PatientBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body, ok := r.Body.(*PatientBody)
	if !ok {
		body = NewPatientBody(r.Body, control)
		r.Body = body
	}
	if r.ProtoMajor == 1 { // in HTTP/2 no answer waits for a body
		w.body = body
	}
	return body
}

// begin is called before anything is written. A gzip answer gets an ETag of its own. A
// refusal goes out at once, even if the body is still on its way.
func (w *recorder) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if h := w.Header(); h["Etag"] != nil && h.Get("Content-Encoding") == "gzip" {
		h.Set("ETag", GzipTag(h.Get("ETag")))
	}
	if status >= http.StatusBadRequest && w.body != nil && !w.body.ended {
		w.body.abandon(w.Header())
	}
}

// Unwrap lets http.ResponseController find the writer below the recorder.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if status >= http.StatusOK { // else the answer is still to come
		w.begin(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.written += int64(n)
	return n, err
}
