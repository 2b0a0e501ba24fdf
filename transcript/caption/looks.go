package caption

import (
	"encoding/binary"
	"hash/maphash"
)

// looks has a number for each cue that was read. Cues that are drawn in the same way have
// the same number. A nil one has none.
type looks struct {
	hash maphash.Hash
	all  []uint64
}

// withLooks makes a reader fill l.
func withLooks(l *looks) Option { return func(o *options) { o.looks = l } }

// part adds how a part of the cue is drawn.
func (l *looks) part(b []byte) {
	if l != nil {
		_, _ = l.hash.Write(b) // it never fails
		_ = l.hash.WriteByte(0)
	}
}

// number adds a number to how a cue is drawn.
func (l *looks) number(n uint64) {
	if l != nil {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		_, _ = l.hash.Write(b[:]) // it never fails
	}
}

// of is a number for what places a cue.
func (l *looks) of(b []byte) uint64 {
	if l == nil || len(b) == 0 {
		return 0
	}
	return maphash.Bytes(l.hash.Seed(), b)
}

// end ends a cue. It counts only if it is shown.
func (l *looks) end(shown bool) {
	if l == nil {
		return
	}
	if shown {
		l.all = append(l.all, l.hash.Sum64())
	}
	l.hash.Reset()
}

// list returns the numbers, nil if there are none.
func (l *looks) list() []uint64 {
	if l == nil {
		return nil
	}
	return l.all
}
