package recent

import (
	"hash/maphash"
	"sync/atomic"
)

// Facts is a cache of values that were read about subjects. A value stands until its subject
// changes. Safe for concurrent use. A nil Facts remembers nothing.
type Facts[S, K comparable, V any] struct {
	things  *Things[K, fact[V]]
	seed    maphash.Seed
	changes [subjects]atomic.Uint64 // by the hash of the subject
}

// subjects is the number of counters of changes. Subjects with the same hash change together,
// which only costs a read.
const subjects = 1 << 10

// fact is a value with the number of changes before its read.
type fact[V any] struct {
	value   V
	changes uint64
}

// NewFacts returns an empty cache for the given number of bytes.
func NewFacts[S, K comparable, V any](bytes int) *Facts[S, K, V] {
	return &Facts[S, K, V]{things: New[K, fact[V]](bytes), seed: maphash.MakeSeed()}
}

// Read returns the value of a key, which is about a subject. Unless the cache holds the value,
// Read calls read, which also returns the size of the value in bytes. The cache holds no value
// of size 0.
func (f *Facts[S, K, V]) Read(subject S, key K, read func() (value V, bytes int, err error)) (V, error) {
	if f == nil {
		value, _, err := read()
		return value, err
	}
	changes := f.of(subject).Load() // before the read: a change during the read ends the value
	if known, ok := f.things.Get(key); ok && known.changes == changes {
		return known.value, nil
	}
	value, bytes, err := read()
	if err == nil && bytes > 0 {
		f.things.Put(key, fact[V]{value, changes}, bytes)
	}
	return value, err
}

// Changed ends the values about a subject. The caller calls Changed as soon as the change can be
// read, and before anybody learns of the change.
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
