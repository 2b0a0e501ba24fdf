package web

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The bounds on large forms in memory, in bytes: for all visitors, and for one user or one
// network of visitors without sign-in. Reading a form takes four times its size.
const (
	formBytes    = 40 << 20
	formBytesOne = 10 << 20
)

// forms counts the bytes of the large forms in memory. Safe for concurrent use.
type forms struct {
	mu     sync.Mutex
	held   int64
	owners map[string]int64 // an owner without a form has no entry
}

// hold counts a form of an owner before it is read. The caller calls release once the form is
// answered. code is empty if the form fits, RATE_LIMITED if the owner has too many bytes, and
// SERVICE_UNAVAILABLE if all visitors together have too many.
func (f *forms) hold(owner string, size int64) (release func(), code transcript.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.owners[owner]+size > formBytesOne:
		return func() {}, transcript.RateLimited
	case f.held+size > formBytes:
		return func() {}, transcript.ServiceUnavailable
	}
	f.held += size
	f.owners[owner] += size
	return func() { f.release(owner, size) }, ""
}

func (f *forms) release(owner string, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held -= size
	if f.owners[owner] -= size; f.owners[owner] == 0 {
		delete(f.owners, owner)
	}
}

// holdForm counts the bytes of a large form before they are read. The caller releases them. A
// small form, such as one link, is not counted, so that slow senders of large forms cannot
// block small ones.
func (r *Request) holdForm(most int64) (release func(), err error) {
	size := r.ContentLength
	switch {
	case size < 0 || size > most: // no more than that is read
		size = most
	case size <= MaxForm:
		return func() {}, nil
	}
	release, code := r.site.forms.hold(visitor.Owner(r.Context()), size)
	if code == "" {
		return release, nil
	}
	refusal := r.Refuse(code, "problem.tooMuch")
	if refusal.RetryAfter = 2; code == transcript.RateLimited {
		refusal.RetryAfter = 1
	}
	return release, refusal
}
