package recordingform

import (
	"errors"
	"io"
	"math"
	"mime/multipart"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// maxPartHeader limits the header of a part of a form and the boundary before it, in bytes. The
// limit of package multipart is 10 MB.
const maxPartHeader = 16 << 10

// maxBoundary is the longest boundary of a form, in bytes (RFC 2046, 5.1.1).
const maxBoundary = 70

// multipartAhead is the size of package multipart's buffer, which is how far it reads
// ahead.
const multipartAhead = 4 << 10

var errPartHeader = errors.New("server: the header of a part is too large")

// formReader reads the parts of a form, and limits their headers.
type formReader struct {
	parts *multipart.Reader
	body  *partsReader // below parts
}

// next returns the next part, unchanged, and io.EOF after the last part.
func (f *formReader) next() (*multipart.Part, error) {
	f.body.left = maxPartHeader + multipartAhead
	part, err := f.parts.NextRawPart()
	f.body.left = math.MaxInt64 // the reader of the content limits the content
	if err != nil && f.body.err != nil {
		err = f.body.err // package multipart reports an incomplete header as malformed
	}
	return part, err
}

// end reads the bytes after the closing boundary, usually none, so that the connection can be
// used again.
func (f *formReader) end() error {
	f.body.left = maxPartHeader
	_, err := io.Copy(io.Discard, f.body)
	if errors.Is(err, edge.ErrTooSlow) {
		return err
	}
	return nil // the form is complete, and the rest does not matter
}

// partsReader reads at most left bytes of a body.
type partsReader struct {
	r    io.Reader
	left int64
	err  error // of the body, except its end
}

func (b *partsReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = errPartHeader
		return 0, b.err
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
