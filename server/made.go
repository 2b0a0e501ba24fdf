package server

import (
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recent"
)

// madeBytes is how much of what was made of transcripts is kept in memory.
const madeBytes = 32 << 20

// made is what was made of transcripts a moment ago, by the strong ETag of what it is
// sent as: that changes with the bytes. Who asks for it has been shown by the database,
// in the same request, to have the transcript.
type made = recent.Things[string, *packed.Bytes]

// rendered renders something with an ETag, unless that was done a moment ago.
func (s *Server) rendered(etag string, render func() ([]byte, error)) (*packed.Bytes, error) {
	if b, ok := s.made.Get(etag); ok {
		return b, nil
	}
	plain, err := render()
	if err != nil {
		return nil, err
	}
	b := packed.Pack(plain)
	s.made.Put(etag, b, len(b.Gzip())+b.Len())
	return b, nil
}
