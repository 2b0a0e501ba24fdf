package resource

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// Around is the body that render writes around segments, which stay packed; nil: no segments.
func Around(segments *packed.Bytes, render func(dst, segments []byte) ([]byte, error)) (*packed.Body, error) {
	b, err := render(nil, []byte("[]"))
	if err != nil || segments == nil {
		return packed.NewBody(packed.Raw(b)), err
	}
	before, after := wire.AroundSegments(b)
	return packed.NewBody(packed.Raw(before), segments, packed.Raw(after)), nil
}

// FileAnswer documents a file as an answer.
func FileAnswer(media string, body any) edge.Answer {
	return edge.Answer{Status: http.StatusOK, ContentType: media, Body: body, Headers: []edge.Header{edge.HeaderETag, edge.HeaderDisposition}}
}
