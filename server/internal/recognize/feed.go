package recognize

import (
	"errors"
	"io"
	"sync"
)

// maxFed is how many bytes of an upload wait for the decoder at most.
const maxFed = 4 << 20

var errTooFast = errors.New("recognize: the upload arrives faster than it is decoded")

// feed hands the bytes of an upload to a decoder. A write never waits for the decoder and never
// fails: if too many bytes wait, the decoder gets an error. Safe for concurrent use.
type feed struct {
	mu      sync.Mutex
	changed sync.Cond // with mu
	waiting []byte
	end     error // what the decoder gets after the waiting bytes; nil: more may come
}

func newFeed() *feed {
	f := new(feed)
	f.changed.L = &f.mu
	return f
}

func (f *feed) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil && len(f.waiting)+len(p) > maxFed {
		f.waiting, f.end = nil, errTooFast
	}
	if f.end == nil {
		f.waiting = append(f.waiting, p...)
	}
	f.changed.Signal()
	return len(p), nil
}

// Finish says that nothing more comes. The first reason counts; io.EOF for a whole upload.
func (f *feed) Finish(reason error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end == nil {
		f.end = reason
	}
	if f.end != io.EOF { //nolint:errorlint // only the bare one is the end of a file
		f.waiting = nil
	}
	f.changed.Signal()
}

func (f *feed) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.waiting) == 0 {
		if f.end != nil {
			return 0, f.end
		}
		f.changed.Wait()
	}
	n := copy(p, f.waiting)
	if f.waiting = f.waiting[n:]; len(f.waiting) == 0 {
		f.waiting = nil
	}
	return n, nil
}
