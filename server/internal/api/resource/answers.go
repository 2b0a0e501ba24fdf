package resource

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Around is the body without the segments, which render adds from their packed form; nil
// means no segments.
func Around(segments *packed.Bytes, render func(dst, segments []byte) ([]byte, error)) (*packed.Body, error) {
	b, err := render(nil, []byte("[]"))
	if err != nil || segments == nil {
		return packed.NewBody(packed.Raw(b)), err
	}
	before, after := wire.AroundSegments(b)
	return packed.NewBody(packed.Raw(before), segments, packed.Raw(after)), nil
}

// Tagged are the two answers with an ETag: the answer itself, and the 304 to a request
// that names the tag.
func Tagged(a edge.Answer) []edge.Answer {
	a.Headers = append([]edge.Header{edge.HeaderETag}, a.Headers...)
	return []edge.Answer{a, {Status: http.StatusNotModified, Headers: []edge.Header{edge.HeaderETag}}}
}

// FileAnswers are the answers of a route that sends files of these media types, or the body as
// JSON.
func FileAnswers(body any, media ...string) []edge.Answer {
	sent := []edge.Header{edge.HeaderETag, edge.HeaderDisposition}
	all := []edge.Answer{
		{Status: http.StatusNotModified, Headers: sent[:1]},
		{Status: http.StatusOK, ContentType: "application/json", Body: body, Headers: sent},
	}
	for _, of := range media {
		all = append(all, edge.Answer{Status: http.StatusOK, ContentType: of, Body: "", Headers: sent})
	}
	return all
}

// PostCodes are the codes of a POST about an existing resource. See Post.
func PostCodes() []transcript.Code {
	return []transcript.Code{
		transcript.InvalidRequest, transcript.NotFound, transcript.StateConflict,
		transcript.IdempotencyConflict, transcript.IdempotencyInProgress,
	}
}

// Respond answers with a body as JSON, or returns the error.
func Respond(w http.ResponseWriter, body any, err error) error {
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, body)
}
