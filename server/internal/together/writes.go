package together

import "context"

// Writes lets callers write values by keys. Callers that write at the same time share a call.
// It is safe for concurrent use.
type Writes[K comparable, V, R any] struct {
	// Write writes the values of some keys, and returns a result for each key. Required. It
	// may run several times at once.
	Write func(ctx context.Context, values map[K]V) (map[K]R, error)

	calls Calls[*writing[K, V, R]]
}

// writing is one write.
type writing[K comparable, V, R any] struct {
	write   func(context.Context, map[K]V) (map[K]R, error)
	values  map[K]V
	results map[K]R
}

// Run writes.
func (c *writing[K, V, R]) Run(ctx context.Context) (err error) {
	c.results, err = c.write(ctx, c.values)
	return err
}

// put adds a value, if the write has room and has no value of the key.
func (c *writing[K, V, R]) put(key K, value V) bool {
	if _, has := c.values[key]; has || len(c.values) == most {
		return false
	}
	c.values[key] = value
	return true
}

// Do writes a value. If Do returns an error, also because ctx has ended, the value may be
// written all the same.
func (w *Writes[K, V, R]) Do(ctx context.Context, key K, value V) (result R, err error) {
	shared := w.calls.Join(ctx,
		func() *writing[K, V, R] { return &writing[K, V, R]{write: w.Write, values: map[K]V{}} },
		func(c *writing[K, V, R]) bool { return c.put(key, value) })
	if err := shared.Wait(ctx); err != nil {
		return result, err
	}
	return shared.Call.results[key], nil
}
