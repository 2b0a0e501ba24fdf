package api

import (
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// around makes a body of what render writes around segments; nil: it has none.
func around(segments *packed.Bytes, render func(dst, segments []byte) ([]byte, error)) (*packed.Body, error) {
	b, err := render(nil, []byte("[]"))
	if err != nil || segments == nil {
		return packed.NewBody(packed.Raw(b)), err
	}
	before, after := wire.AroundSegments(b)
	return packed.NewBody(packed.Raw(before), segments, packed.Raw(after)), nil
}
