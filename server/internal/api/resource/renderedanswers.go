package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recent"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recentBytes limits the answers that are kept in memory.
const recentBytes = 64 << 20

// RecentAnswers are recent answers that were made from transcripts, by their tags. In
// each request, the database has first shown that the account has the transcript.
type RecentAnswers struct {
	*recent.Things[string, *packed.Body]
}

// NewRecentAnswers makes empty RecentAnswers.
func NewRecentAnswers() *RecentAnswers {
	return &RecentAnswers{recent.New[string, *packed.Body](recentBytes)}
}

// Remembered returns the answer with a tag from memory, or makes it.
func (a *RecentAnswers) Remembered(tag string, render func() (*packed.Body, error)) (*packed.Body, error) {
	if b, ok := a.Get(tag); ok {
		return b, nil
	}
	b, err := render()
	if err == nil {
		a.Put(tag, b, b.Room())
	}
	return b, err
}

// MadeOf is the strong ETag of an answer that is made from a transcript. The tag changes
// with the text, because each text of a transcript has its own time of change. The tag
// also changes with the kind of the answer, with the version of its writer, and with its
// options.
func MadeOf(id string, changed time.Time, writer string, options ...string) string {
	text := make([]byte, 0, 128)
	text = append(append(append(text, writer...), '-'), id...)
	text = strconv.AppendInt(append(text, '-'), changed.UnixMicro(), 10)
	for _, option := range options {
		text = append(append(text, '-'), option...)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// MediaMark distinguishes recordings in an ETag; empty means that none is kept.
func MediaMark(media *transcript.Recording) string {
	if media == nil {
		return ""
	}
	return strconv.FormatInt(media.Until.UnixMilli(), 36)
}
