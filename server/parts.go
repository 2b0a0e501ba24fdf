package server

import (
	"errors"
	"io"
	"math"
	"mime/multipart"
)

// maxPartHeader bounds the header of a part of a form, in bytes, with the
// boundary before it. Package multipart takes 10 MB.
const maxPartHeader = 16 << 10

// maxBoundary is the longest boundary of a form, in bytes (RFC 2046, 5.1.1).
const maxBoundary = 70

// multipartAhead is how far package multipart reads ahead of what it returns: its
// buffer.
const multipartAhead = 4 << 10

var errPartHeader = errors.New("server: the header of a part is too large")

// formReader reads the parts of a form whose headers are bounded.
type formReader struct {
	parts *multipart.Reader
	body  *partsReader // below it
}

// next returns the next part, as it is, and io.EOF after the last.
func (f *formReader) next() (*multipart.Part, error) {
	f.body.left = maxPartHeader + multipartAhead
	defer func() { f.body.left = math.MaxInt64 }() // the content is bounded by who reads it
	return f.parts.NextRawPart()
}

// partsReader is a body of which no more than left is read.
type partsReader struct {
	r    io.Reader
	left int64
}

func (b *partsReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errPartHeader
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
