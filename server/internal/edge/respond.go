package edge

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// answerTime is how long a client may take to read an answer that the process keeps in memory.
const answerTime = 2 * time.Minute

// RespondJSON answers with a value as JSON. If JSON cannot represent the value,
// RespondJSON writes nothing and returns an error.
func RespondJSON(w http.ResponseWriter, status int, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("server: rendering an answer: %w", err)
	}
	Respond(w, JSONType, status, b)
	return nil
}

// JSONType is the media type of nearly all answers.
const JSONType = "application/json"

// RespondInterim sends an interim answer, with only these headers. A client of HTTP/1.0 gets
// none.
func RespondInterim(w http.ResponseWriter, r *http.Request, status int, header map[string]string) {
	if !r.ProtoAtLeast(1, 1) {
		return
	}
	h := w.Header()
	final := maps.Clone(h)
	clear(h)
	for name, value := range header {
		h.Set(name, value)
	}
	w.WriteHeader(status)
	clear(h)
	maps.Copy(h, final)
}

// RespondEmpty answers without a body.
func RespondEmpty(w http.ResponseWriter, header map[string]string) {
	for name, value := range header {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	w.WriteHeader(http.StatusNoContent)
}

// Response is an answer with a JSON body before it is sent.
type Response struct {
	Status int
	Header map[string]string // in addition to the headers of every answer
	Body   *packed.Body
}

func (a Response) send(w http.ResponseWriter, r *http.Request) error {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	return RespondPacked(w, r, JSONType, a.Status, a.Body)
}

// RespondPacked sends a body whose parts may be stored as gzip. A client that accepts
// gzip gets these parts unchanged.
func RespondPacked(w http.ResponseWriter, r *http.Request, mediaType string, status int, body *packed.Body) error {
	gzip := body.Packed() && takesGzip(r)
	if err := holdAnswer(r.Context(), body.Size(gzip)); err != nil {
		return err
	}
	parts := [][]byte{nil}
	if gzip {
		w.Header().Set("Content-Encoding", "gzip")
		parts[0] = body.Gzip()
	} else {
		var err error
		if parts, err = body.Plain(); err != nil {
			return err
		}
	}
	leave, gathered := gather(r.Context(), body.Size(gzip))
	if !gathered {
		Respond(w, mediaType, status, parts...)
		return nil
	}
	defer leave()
	respondHead(w, mediaType, status, parts)
	control := http.NewResponseController(w)
	for _, part := range parts {
		_ = control.Flush()  // no part is copied into the previous one; only a writer without Flush copies
		_, _ = w.Write(part) // an error has the same meaning as in Respond
	}
	_ = control.Flush() // as above
	return nil
}

// Respond sends a body in one or several parts. Respond ignores an error: the
// connection has ended, and the access log does not need to say so.
func Respond(w http.ResponseWriter, mediaType string, status int, body ...[]byte) {
	respondHead(w, mediaType, status, body)
	for _, part := range body {
		_, _ = w.Write(part)
	}
}

// respondHead begins an answer with a body.
func respondHead(w http.ResponseWriter, mediaType string, status int, body [][]byte) {
	length := 0
	for _, part := range body {
		length += len(part)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(length))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	// The writer of a server supports deadlines. Other writers may not.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(min(grace+time.Duration(length/leastRate)*time.Second, answerTime)))
	w.WriteHeader(status)
}
