package server

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recent"
)

// madeBytes is how much of what was made of transcripts is kept in memory.
const madeBytes = 64 << 20

// made are answers that were made of transcripts a moment ago, by the tags of what was
// asked for. Who asks has been shown by the database, in the same request, to have the
// transcript.
type made = recent.Things[string, *packed.Body]

func newMade() *made { return recent.New[string, *packed.Body](madeBytes) }

// remembered makes an answer with a tag, unless that was done a moment ago.
func (s *Server) remembered(tag string, render func() (*packed.Body, error)) (*packed.Body, error) {
	if b, ok := s.made.Get(tag); ok {
		return b, nil
	}
	b, err := render()
	if err == nil {
		s.made.Put(tag, b, b.Room())
	}
	return b, err
}

// madeOf is the tag of what is made of a transcript: a strong ETag. It differs with the
// text, as each that a transcript has had has another time of change; with what is made
// of it, and by which version of its writer; and with what else that depends on.
func madeOf(id string, changed time.Time, writer string, options ...string) string {
	text := make([]byte, 0, 128)
	text = append(append(append(text, writer...), '-'), id...)
	text = strconv.AppendInt(append(text, '-'), changed.UnixMicro(), 10)
	for _, option := range options {
		text = append(append(text, '-'), option...)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
