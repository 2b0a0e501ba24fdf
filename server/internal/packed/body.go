package packed

import (
	"slices"
	"sync"
)

// Body is the body of an answer: parts, one after the other. Safe for concurrent use.
type Body struct {
	parts []*Bytes

	join sync.Once
	gzip []byte
}

// NewBody makes a body of parts. No part may be nil.
func NewBody(parts ...*Bytes) *Body { return &Body{parts: parts} }

// Packed reports whether any part is packed: the others are not worth it.
func (b *Body) Packed() bool { return slices.ContainsFunc(b.parts, (*Bytes).Packed) }

// Gzip is the whole body as one gzip member, which is made once.
func (b *Body) Gzip() []byte {
	b.join.Do(func() { b.gzip = join(b.parts) })
	return b.gzip
}

// Plain returns the parts unpacked. The caller changes nothing in them.
func (b *Body) Plain() (parts [][]byte, err error) {
	parts = make([][]byte, len(b.parts))
	for i, part := range b.parts {
		if parts[i], err = part.Plain(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Size is how many bytes are sent at most, as gzip or not. Nothing is unpacked for it.
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

// Room is how many bytes of memory it takes at most, once it was sent in both forms.
func (b *Body) Room() int {
	n := room(b.parts)
	for _, part := range b.parts {
		n += len(part.gzip) + part.length
	}
	return n
}
