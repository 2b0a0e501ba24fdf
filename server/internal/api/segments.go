package api

import (
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// around is the body that render writes around segments, which stay packed; nil: no segments.
func around(segments *packed.Bytes, render func(dst, segments []byte) ([]byte, error)) (*packed.Body, error) {
	b, err := render(nil, []byte("[]"))
	if err != nil || segments == nil {
		return packed.NewBody(packed.Raw(b)), err
	}
	before, after := wire.AroundSegments(b)
	return packed.NewBody(packed.Raw(before), segments, packed.Raw(after)), nil
}
