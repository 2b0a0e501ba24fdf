package packed

import (
	"slices"
	"sync"
)

// Body is the body of an answer. It consists of parts in their order. A Body is safe for
// concurrent use.
type Body struct {
	parts []*Bytes

	join sync.Once
	gzip []byte
}

// NewBody returns a body of the given parts. No part may be nil.
func NewBody(parts ...*Bytes) *Body { return &Body{parts: parts} }

// Packed reports whether any part has a gzip. If no part has one, the body is too small to be
// worth packing.
func (b *Body) Packed() bool { return slices.ContainsFunc(b.parts, (*Bytes).Packed) }

// Gzip returns the whole body as one gzip member. The first call makes the member, and later
// calls return the same bytes.
func (b *Body) Gzip() []byte {
	b.join.Do(func() { b.gzip = join(b.parts) })
	return b.gzip
}

// Plain returns the unpacked parts. The caller must not change them. The error reports a
// damaged part.
func (b *Body) Plain() (parts [][]byte, err error) {
	parts = make([][]byte, len(b.parts))
	for i, part := range b.parts {
		if parts[i], err = part.Plain(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Size returns an upper bound of the bytes to send, as gzip or unpacked. Size unpacks nothing.
func (b *Body) Size(gzip bool) int {
	if gzip {
		return room(b.parts)
	}
	n := 0
	for _, part := range b.parts {
		n += part.Len()
	}
	return n
}

// Room returns an upper bound of the memory that the body takes, in bytes, after it was sent in
// both forms.
func (b *Body) Room() int {
	n := room(b.parts)
	for _, part := range b.parts {
		n += len(part.gzip) + part.length
	}
	return n
}
