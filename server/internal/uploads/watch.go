package uploads

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
)

// unwatched is how long the work on an upload goes on without a question: a page that is loaded again
// finds it.
const unwatched = 30 * time.Second

// watches are the unfinished uploads that this process recognizes because somebody watches. The zero
// value is ready.
type watches struct {
	mu      sync.Mutex
	all     map[string]*watch // by the id of the upload
	stopped bool
}

// watch is the work on one upload.
type watch struct {
	arrival *recognize.Arrival
	asked   int         // questions that are not answered
	idle    *time.Timer // ends the work; runs while no question is open
}

// Look returns the state of an upload, and does not take the upload from the request that has it. The
// error is NOT_FOUND if the account has no such upload, or the upload is complete.
func (r *Resumable) Look(ctx context.Context, account, id string) (*db.Upload, error) {
	u, err := r.uploads.store.Uploads.Look(ctx, account, id)
	if errors.Is(err, db.ErrNotFound) || err == nil && u.Complete {
		return nil, errNoUpload(err)
	}
	return u, err
}

// Heard is what is recognized of an upload that arrives.
type Heard = recognize.Heard

// Watch is a question about an upload that arrives. The caller calls Close.
type Watch struct {
	of *watch // nil if the upload is not recognized
	// Close ends the question.
	Close func()
}

// Watch asks what is recognized of an unfinished upload. expected is the submission of the file to
// come. The first question begins the work, which ends half a minute after the last one.
func (r *Resumable) Watch(ctx context.Context, u *db.Upload, expected intake.Submission) (Watch, error) {
	w, err := r.ask(ctx, u, expected)
	if w == nil || err != nil {
		return Watch{Close: func() {}}, err
	}
	return Watch{w, func() { r.watches.answered(u.ID, w) }}, nil
}

// Heard returns what is recognized, as soon as more than after is recognized, or when ctx ends. The
// zero value means that nothing is recognized while the file arrives, or that this process recognizes
// too many files.
func (w Watch) Heard(ctx context.Context, after time.Duration) (heard Heard) {
	if w.of == nil {
		<-ctx.Done()
		return heard
	}
	for {
		heard, changed := w.of.arrival.Heard()
		if heard.Until > after {
			return heard
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return heard
		}
	}
}

// ask returns the work on an upload, and begins it if there is none. nil means that there can be none.
func (r *Resumable) ask(ctx context.Context, u *db.Upload, expected intake.Submission) (*watch, error) {
	r.watches.mu.Lock()
	defer r.watches.mu.Unlock()
	if w := r.watches.all[u.ID]; w != nil {
		w.asked++
		w.idle.Stop()
		return w, nil
	}
	if expected.Admit != nil || !r.uploads.steps.ReadsArriving() || r.watches.stopped {
		return nil, nil //nolint:nilnil // documented
	}
	hearing, err := r.uploads.intake.Foresee(ctx, expected)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the work outlives the question
	a, err := r.uploads.steps.Follow(ctx, hearing, newStored(ctx, r.uploads.store, u.Account, u.ID))
	if a == nil || err != nil {
		return nil, err
	}
	w := &watch{arrival: a, asked: 1}
	w.idle = time.AfterFunc(unwatched, func() { r.unwatch(ctx, u.ID, w) })
	w.idle.Stop()
	if r.watches.all == nil {
		r.watches.all = map[string]*watch{}
	}
	r.watches.all[u.ID] = w
	return w, nil
}

// answered ends a question.
func (l *watches) answered(id string, w *watch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.asked--; w.asked == 0 && l.all[id] == w {
		w.idle.Reset(unwatched)
	}
}

// unwatch ends the work on an upload, if no new question has come.
func (r *Resumable) unwatch(ctx context.Context, id string, w *watch) {
	if r.watches.take(id, func(now *watch) bool { return now == w && w.asked == 0 }) != nil {
		w.arrival.Discard(ctx)
	}
}

// take gives the work on an upload to the caller, if there is any and the caller wants it.
func (l *watches) take(id string, wanted func(*watch) bool) *recognize.Arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.all[id]
	if w == nil || !wanted(w) {
		return nil
	}
	w.idle.Stop()
	delete(l.all, id)
	return w.arrival
}

// Stop ends the work on all uploads that somebody watches. No other work begins.
func (r *Resumable) Stop(ctx context.Context) {
	r.watches.mu.Lock()
	r.watches.stopped = true
	all := r.watches.all
	r.watches.all = nil
	r.watches.mu.Unlock()
	for _, w := range all {
		w.idle.Stop()
		w.arrival.Discard(ctx)
	}
}
