package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// answerTimeout is how long a client may take to read an answer that is not a
// stream.
const answerTimeout = 2 * time.Minute

func (s *Server) respondJSON(ctx context.Context, w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		// Only a value that JSON does not have gets here: an engine's metadata.
		s.cfg.Log.ErrorContext(ctx, "an answer could not be rendered", "request", RequestID(ctx), "err", err)
		status, b = http.StatusInternalServerError, []byte(`{"error":"internal_error"}`)
	}
	respond(w, status, b)
}

// response is an answer with a JSON body before it is sent.
type response struct {
	status int
	header map[string]string // beside those that every answer has
	body   *packed.Body
}

// plainBody is a body that is not packed.
func plainBody(b []byte) *packed.Body { return packed.NewBody(packed.Raw(b)) }

func (a response) send(w http.ResponseWriter, r *http.Request) error {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	return respondPacked(w, r, "application/json", a.status, a.body)
}

// respondPacked sends a body of which parts are kept packed: as they are to who takes
// gzip.
func respondPacked(w http.ResponseWriter, r *http.Request, mediaType string, status int, body *packed.Body) error {
	gzip := body.Packed() && takesGzip(r)
	if err := holdAnswer(r.Context(), body.Size(gzip)); err != nil {
		return err
	}
	if gzip {
		w.Header().Set("Content-Encoding", "gzip")
		respondAs(w, mediaType, status, body.Gzip())
		return nil
	}
	parts, err := body.Plain()
	if err != nil {
		return err
	}
	respondAs(w, mediaType, status, parts...)
	return nil
}

// around makes a body of what render writes around segments; nil: it has none.
func around(segments *packed.Bytes, render func(dst, segments []byte) ([]byte, error)) (*packed.Body, error) {
	b, err := render(nil, []byte("[]"))
	if err != nil || segments == nil {
		return plainBody(b), err
	}
	before, after := wire.AroundSegments(b)
	return packed.NewBody(packed.Raw(before), segments, packed.Raw(after)), nil
}

// respond sends a JSON body.
func respond(w http.ResponseWriter, status int, body ...[]byte) {
	respondAs(w, "application/json", status, body...)
}

// respondAs sends a body, given in one part or several. Whether it arrives is
// the client's concern: an error here is the end of a connection, which the
// access log does not need.
func respondAs(w http.ResponseWriter, mediaType string, status int, body ...[]byte) {
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
	// Not every writer knows deadlines; a server's own does.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout))
	w.WriteHeader(status)
	for _, part := range body {
		_, _ = w.Write(part)
	}
}
