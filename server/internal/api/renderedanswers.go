package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recent"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// recentBytes bounds the answers that are kept in memory.
const recentBytes = 64 << 20

// recentAnswers are answers that were made of transcripts a moment ago, by their tags. In
// each request, the database has first shown that the account has the transcript.
type recentAnswers struct {
	*recent.Things[string, *packed.Body]
}

func newRecentAnswers() *recentAnswers {
	return &recentAnswers{recent.New[string, *packed.Body](recentBytes)}
}

// remembered returns the answer with a tag, and makes the answer unless it is in memory.
func (a *recentAnswers) remembered(tag string, render func() (*packed.Body, error)) (*packed.Body, error) {
	if b, ok := a.Get(tag); ok {
		return b, nil
	}
	b, err := render()
	if err == nil {
		a.Put(tag, b, b.Room())
	}
	return b, err
}

// Rendered is a file that another face makes of a text, or made of the text a moment ago. writer
// names the version of the written form, and options tell the files of a text apart. The caller
// has shown that the account may have the text.
func (a *API) Rendered(res *view.Result, writer string, options []string, render func() ([]byte, error)) (*packed.Body, error) {
	tag := madeOf(res.TextID, res.TextChanged, writer, options...)
	return a.transcripts.recent.remembered(tag, func() (*packed.Body, error) {
		file, err := render()
		if err != nil {
			return nil, err
		}
		return packed.NewBody(packed.Pack(file)), nil
	})
}

// madeOf is the tag of an answer that is made of a transcript: a strong ETag. The tag
// changes with the text, because each text of a transcript has its own time of change.
// The tag also changes with the kind of the answer, with the version of its writer, and
// with its options.
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
