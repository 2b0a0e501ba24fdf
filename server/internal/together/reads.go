package together

import (
	"context"
	"slices"
)

// Reads lets callers that ask at the same time share a read. A caller never shares a read that
// began before the caller came, so the answer is as new as the answer to a read of its own. The
// zero value is ready. It is safe for concurrent use.
type Reads[K comparable, V any] struct{ calls Calls[*reading[K, V]] }

// reading is one read.
type reading[K comparable, V any] struct {
	read      func(context.Context, []K) (map[K]V, error)
	questions []K
	answers   map[K]V
}

// Run reads.
func (c *reading[K, V]) Run(ctx context.Context) (err error) {
	c.answers, err = c.read(ctx, c.questions)
	return err
}

// ask adds a question, if the read has room.
func (c *reading[K, V]) ask(question K) bool {
	if slices.Contains(c.questions, question) {
		return true
	}
	if len(c.questions) == most {
		return false
	}
	c.questions = append(c.questions, question)
	return true
}

// Read returns the answer to a question, or the zero value if read has no answer to it. All
// callers pass the same read, which answers several different questions, and may run several
// times at once. Callers with the same question get the same value.
func (r *Reads[K, V]) Read(ctx context.Context, question K, read func(context.Context, []K) (map[K]V, error)) (answer V, err error) {
	shared := r.calls.Join(ctx,
		func() *reading[K, V] { return &reading[K, V]{read: read} },
		func(c *reading[K, V]) bool { return c.ask(question) })
	if err := shared.Wait(ctx); err != nil {
		return answer, err
	}
	return shared.Call.answers[question], nil
}
