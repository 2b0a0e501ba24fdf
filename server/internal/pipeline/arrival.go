package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// An upload is decoded, cut and recognized while it still arrives, where its container can be
// read from the front. The hash, and with it the content, is known only with the last byte, so
// the database knows nothing of the work before. Submit stores the chunks with the new
// extraction, and the step of duration_check goes on with them. If the content is in the cache,
// or the request is refused, or the client goes away, the work is thrown away and costs nothing.
//
// The work never holds up the upload, uses no recognizer that a step wants, and keeps to the
// account's limits: its longest media, its minutes, its recordings at once.

const (
	arrivalsAtOnce  = mediaWorkers           // in a process; one of an account
	arrivalLook     = 500 * time.Millisecond // between two looks at the decoded sound
	arrivalPatience = 5 * time.Second        // for the rest of the work after the last byte
	// hearAfter is how long an upload arrives before its chunks are recognized. The chunk that
	// is recognized when the last byte comes is recognized again by its step, so an upload that
	// is quick would pay for one chunk more and gain nothing.
	hearAfter = 5 * time.Second
)

// arrivals counts the uploads that are worked on while they arrive. The zero value is ready.
type arrivals struct {
	mu       sync.Mutex
	accounts map[string]bool
}

// begin reports whether one more of an account may be worked on.
func (a *arrivals) begin(account string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.accounts[account] || len(a.accounts) == arrivalsAtOnce {
		return false
	}
	if a.accounts == nil {
		a.accounts = map[string]bool{}
	}
	a.accounts[account] = true
	return true
}

func (a *arrivals) end(account string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.accounts, account)
}

// arrival is the work on one upload that arrives. It ends with keep or discard.
type arrival struct {
	*processor
	media    engine.ArrivingMedia
	account  string
	limits   db.Limits
	language string        // to recognize; "": the recognizer finds it out
	prompt   string        // to recognize with
	longest  time.Duration // that the account may have recognized

	extraction string // the id of the extraction to come
	key        func(n int) string
	dir        string // for scratch files
	feed       *feed
	stop       context.CancelFunc
	done       chan struct{} // closed when the work has ended

	// Of the goroutine that works, until done is closed.
	growing *recognition.Growing
	chunks  []db.Chunk
	err     error
}

// ReceiveFor is Receive for a submission whose Upload and View are not known yet. The file is
// worked on while it arrives, where this is possible.
func (p *Pipeline) ReceiveFor(ctx context.Context, s Submission, r io.Reader, limit int64) (*Upload, error) {
	a, err := p.arrive(ctx, s)
	if err != nil { // the file is worked on when it has arrived
		p.log.DebugContext(ctx, "an upload is not worked on while it arrives", "err", err)
	}
	if a == nil {
		return p.Receive(ctx, r, limit)
	}
	u, err := p.Receive(ctx, io.TeeReader(r, a.feed), limit)
	if err != nil {
		a.discard(ctx)
		return nil, err
	}
	a.feed.finish(io.EOF)
	u.arrival = a
	return u, nil
}

// arrive begins the work on an upload; nil: there is none.
func (p *Pipeline) arrive(ctx context.Context, s Submission) (*arrival, error) {
	media, ok := p.engine.Media.(engine.ArrivingMedia)
	if !ok || p.cfg.Idle || p.engine.Recognizer == nil || s.Admit != nil {
		return nil, nil //nolint:nilnil // such an upload is worked on when it has arrived
	}
	s.Upload, s.terms, s.team = new(Upload), terms{limits: limits.Of(s.Plan, time.Now())}, p.cluster.Team(ctx)
	s.Languages = s.narrow()
	list := subject.OnlyASR(s.subject().ASRLanguage())
	if p.cluster.Alone().CanTranscribe(list) != nil || s.team.TakesTurns(list) {
		return nil, nil //nolint:nilnil,nilerr // as above
	}
	longest, err := p.longestArrival(ctx, s)
	if err != nil || longest <= 0 {
		return nil, err
	}
	prompt, err := p.promptFor(ctx, s)
	if err != nil || !p.processor.arrivals.begin(s.Account) {
		return nil, err
	}
	a := &arrival{
		processor: p.processor, media: media, account: s.Account, limits: s.limits, language: s.subject().ASRLanguage(), prompt: prompt, longest: longest,
		feed: newFeed(), done: make(chan struct{}), growing: recognition.NewGrowing(s.team.Lengths(list)),
	}
	if err := a.start(ctx); err != nil {
		p.processor.arrivals.end(s.Account)
		return nil, err
	}
	return a, nil
}

// longestArrival is the longest recording that an account may have recognized now.
func (p *Pipeline) longestArrival(ctx context.Context, s Submission) (time.Duration, error) {
	if !s.limits.ASR {
		return 0, nil
	}
	longest := limits.Longest(s.limits, p.cfg.MaxMediaDuration)
	if s.limits.ASRMinutes < 0 {
		return longest, nil
	}
	u, err := p.store.Allowances.Usage(ctx, s.Account, s.limits.Period)
	left := max(s.limits.ASRMinutes-u.Taken().Minutes, 0)
	return min(longest, time.Duration(min(left, int64(longest/time.Minute)+1))*time.Minute), err
}

func (a *arrival) start(ctx context.Context) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	a.extraction, a.key = id.String(), audio.ChunkKeys(id.String())
	if a.dir, err = os.MkdirTemp(a.cfg.Dir, "arrival-"); err != nil {
		return fmt.Errorf("pipeline: making a scratch directory: %w", err)
	}
	ctx, a.stop = context.WithCancel(db.Unhurried(ctx))
	go a.work(ctx)
	return nil
}

// settleArrival makes the work on an upload that has arrived ready for a transaction. If the
// work cannot be used, it is thrown away.
func (p *Pipeline) settleArrival(ctx context.Context, s Submission) error {
	if s.Upload == nil || s.Upload.arrival == nil {
		return nil
	}
	known, err := cached(ctx, p.store.Reader, s)
	if err != nil {
		return err
	}
	if known != nil || !s.Upload.arrival.settle(ctx, s) {
		s.Upload.discardArrival(ctx)
	}
	return nil
}

// settle waits for the rest of the work on an upload that is whole. It reports whether the
// chunks can be used for a submission.
func (a *arrival) settle(ctx context.Context, s Submission) bool {
	if a.language != s.subject().ASRLanguage() || a.prompt != s.prompt {
		return false
	}
	patience := time.NewTimer(arrivalPatience)
	defer patience.Stop()
	select {
	case <-a.done:
	case <-patience.C:
		return false
	case <-ctx.Done():
		return false
	}
	if a.err != nil {
		a.log.DebugContext(ctx, "an upload was not worked on while it arrived", "err", a.err)
	}
	return a.err == nil
}

var errDiscarded = errors.New("pipeline: the upload is not wanted")

// discard ends the work and removes what there is of it.
func (a *arrival) discard(ctx context.Context) {
	a.keep(ctx)
	for _, c := range a.chunks {
		a.audio.DeleteBlobs(context.WithoutCancel(ctx), c.MediaKey)
	}
}

// discardArrival throws the work on an upload that arrived away, if there is any.
func (u *Upload) discardArrival(ctx context.Context) {
	if u.arrival != nil {
		u.arrival.discard(ctx)
		u.arrival = nil
	}
}

// keep ends the work and leaves the stored chunks to an extraction.
func (a *arrival) keep(ctx context.Context) {
	a.stop()
	a.feed.finish(errDiscarded)
	<-a.done
	a.arrivals.end(a.account)
	if err := os.RemoveAll(a.dir); err != nil {
		a.log.WarnContext(ctx, "scratch files were left behind", "dir", a.dir, "err", err)
	}
}
