package recent

import (
	"context"
	"hash/maphash"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/server/internal/together"
)

// Facts is a cache of values about subjects. A value is valid until its subject changes.
// A Facts is safe for concurrent use. A nil Facts remembers nothing.
type Facts[S, K comparable, V any] struct {
	size    func(V) int
	things  *Things[K, fact[V]] // nil means that others change the subjects too
	reads   together.Reads[K, V]
	seed    maphash.Seed
	changes [subjects]atomic.Uint64 // by the hash of the subject
}

// subjects is the number of counters of changes. Subjects with the same hash change together,
// which only costs an additional read.
const subjects = 1 << 10

// fact is a value with the number of changes before its read.
type fact[V any] struct {
	value   V
	changes uint64
}

// NewFacts returns an empty cache for the given number of bytes. size returns the bytes of a
// value; the cache holds no value of size 0. With 0 bytes the cache holds nothing, because
// others change the subjects too: then callers at the same time share a read.
func NewFacts[S, K comparable, V any](bytes int, size func(V) int) *Facts[S, K, V] {
	f := &Facts[S, K, V]{size: size, seed: maphash.MakeSeed()}
	if bytes > 0 {
		f.things = New[K, fact[V]](bytes)
	}
	return f
}

// Read returns the value of a key, which is about a subject. Unless the cache holds the value,
// Read calls read, which returns the values of some keys; a key without a value has the zero
// value. Callers do not change the value.
func (f *Facts[S, K, V]) Read(ctx context.Context, subject S, key K, read func(context.Context, []K) (map[K]V, error)) (V, error) {
	switch {
	case f == nil:
		values, err := read(ctx, []K{key})
		return values[key], err
	case f.things == nil:
		return f.reads.Read(ctx, key, read)
	}
	changes := f.of(subject).Load() // before the read: a change during the read ends the value
	if known, ok := f.things.Get(key); ok && known.changes == changes {
		return known.value, nil
	}
	values, err := read(ctx, []K{key})
	value, there := values[key]
	if err != nil || !there {
		return value, err
	}
	if bytes := f.size(value); bytes > 0 {
		f.things.Put(key, fact[V]{value, changes}, bytes)
	}
	return value, nil
}

// Changed ends the values about a subject. The caller calls Changed as soon as the change can be
// read, and before anyone learns about the change.
func (f *Facts[S, K, V]) Changed(subject S) {
	if f != nil {
		f.of(subject).Add(1)
	}
}

// AllChanged is Changed for all subjects.
func (f *Facts[S, K, V]) AllChanged() {
	if f == nil {
		return
	}
	for i := range f.changes {
		f.changes[i].Add(1)
	}
}

func (f *Facts[S, K, V]) of(subject S) *atomic.Uint64 {
	return &f.changes[maphash.Comparable(f.seed, subject)%subjects]
}
