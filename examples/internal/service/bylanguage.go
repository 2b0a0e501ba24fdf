package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// byLanguage chooses between two recognizers for each recording. The first recognizer gets
// calls that name one of its languages. The last recognizer gets all other calls, including
// those without a language, which it detects. A call with a prompt goes to the last
// recognizer, because the first recognizer takes no prompts.
type byLanguage struct{ first, last engine.Recognizer }

var (
	_ engine.Recognizer = byLanguage{}
	_ engine.Checker    = byLanguage{}
)

// Info describes the last recognizer, with the languages and the chunks of both.
func (r byLanguage) Info() engine.RecognizerInfo {
	first, info := r.first.Info(), r.last.Info()
	info.Quality += fmt.Sprintf("; for %d languages %s %s (%s)", len(first.Languages), first.Name, first.Model, first.Quality)
	if info.Languages != nil {
		info.Languages = slices.Clone(info.Languages)
		for _, tag := range first.Languages {
			if !slices.Contains(info.Languages, tag) {
				info.Languages = append(info.Languages, tag)
			}
		}
	}
	info.Chunk, info.MaxChunk = shorter(info.Chunk, first.Chunk), shorter(info.MaxChunk, first.MaxChunk)
	return info
}

// shorter returns the shorter of two lengths; 0 is no length.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Check returns why one of the recognizers does not work.
func (r byLanguage) Check(ctx context.Context) error {
	for _, one := range []engine.Recognizer{r.first, r.last} {
		if checker, ok := one.(engine.Checker); ok {
			if err := checker.Check(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Recognize passes the call to one of the recognizers, and says to which one.
func (r byLanguage) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (heard engine.Recognition, err error) {
	for _, one := range r.order(opts) {
		if heard, err = one.Recognize(ctx, audio, opts); errors.Is(err, transcript.NotImplemented) {
			continue // it does not know the language
		}
		info := one.Info()
		heard.By = &info
		return heard, err
	}
	return engine.Recognition{}, err
}

// order returns the recognizers to ask, one after another.
func (r byLanguage) order(opts engine.RecognizeOptions) []engine.Recognizer {
	switch {
	case opts.Language == "":
		return []engine.Recognizer{r.last}
	case opts.Prompt != "":
		return []engine.Recognizer{r.last, r.first}
	}
	return []engine.Recognizer{r.first, r.last}
}
