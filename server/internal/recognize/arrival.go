package recognize

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
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An upload is decoded, cut and recognized while it still arrives, where its container can be
// read from the front. The hash, and with it the content, is known only with the last byte, so
// the database knows nothing of the work before. Submit stores the chunks with the new
// work, and the step of duration_check goes on with them. If the content is in the cache,
// or the request is refused, or the client goes away, the work is thrown away and costs nothing.
//
// The work never holds up the upload, uses no recognizer that a step wants, and keeps to the
// account's limits: its longest media, its minutes, its recordings at once.

const (
	arrivalsAtOnce  = 2                      // in a process; one of an account
	watchedAtOnce   = 8                      // the same for uploads that somebody watches
	arrivalLook     = 500 * time.Millisecond // between two looks at the decoded sound
	arrivalPatience = 5 * time.Second        // for the rest of the work after the last byte
	// hearAfter is how long an upload arrives before its chunks are recognized. The chunk that
	// is recognized when the last byte comes is recognized again by its step, so an upload that
	// is quick would pay for one chunk more and gain nothing.
	hearAfter = 5 * time.Second
)

// arrivals counts the uploads that are worked on while they arrive.
type arrivals struct {
	most int // in the process

	mu       sync.Mutex
	accounts map[string]bool
}

// begin reports whether one more of an account may be worked on.
func (a *arrivals) begin(account string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.accounts[account] || len(a.accounts) == a.most {
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

// Source is a file that arrives.
type Source interface {
	// Read waits for the next bytes. The error is io.EOF after the last byte.
	io.Reader
	// Finish ends the source. The first reason counts: after io.EOF, Read returns the bytes that
	// are left, and after another error only the error.
	Finish(reason error)
}

// Arrival is the work on one upload that arrives. It begins in Arrive or Follow, and ends with Keep
// or Discard.
type Arrival struct {
	*Steps
	media engine.ArrivingMedia
	// Hearing is how the sound is recognized.
	intake.Hearing

	work    string // the id of the work to come
	key     func(n int) string
	dir     string // for scratch files
	file    Source
	watched *watched // nil if nobody watches
	count   *arrivals
	stop    context.CancelFunc
	done    chan struct{} // closed when the work has ended

	// Of the goroutine that works, until done is closed.
	growing *recognition.Growing
	chunks  []db.Chunk
	err     error
}

// ReadsArriving reports whether this process can work on uploads that arrive.
func (p *Steps) ReadsArriving() bool {
	_, ok := p.Engine.Media.(engine.ArrivingMedia)
	return ok && p.Engine.Recognizer != nil
}

// Arrive begins the work on an upload whose sound is to be recognized as h says. The caller writes
// the file to the Arrival. It returns nil if the upload is not worked on while it arrives. The caller
// ends the work with Keep or Discard.
func (p *Steps) Arrive(ctx context.Context, h intake.Hearing) (*Arrival, error) {
	return p.begin(ctx, &Arrival{Hearing: h, file: newFeed(), count: &p.arrivals})
}

// Follow is Arrive for an upload whose words somebody reads in Heard while it arrives. The Arrival
// reads the file from a source.
func (p *Steps) Follow(ctx context.Context, h intake.Hearing, file Source) (*Arrival, error) {
	return p.begin(ctx, &Arrival{Hearing: h, file: file, count: &p.followed, watched: newWatched()})
}

func (p *Steps) begin(ctx context.Context, a *Arrival) (*Arrival, error) {
	h := a.Hearing
	media, ok := p.Engine.Media.(engine.ArrivingMedia)
	list, team := subject.OnlyASR(h.Language), p.Cluster.Team(ctx)
	usual := h.Listening == transcript.Listening{Speakers: h.Listening.Speakers} // else the whole file decides
	if !ok || !usual || p.Cluster.Alone().CanTranscribe(list) != nil || team.TakesTurns(list) || h.Longest <= 0 || !a.count.begin(h.Account) {
		return nil, nil //nolint:nilnil,nilerr // such an upload is worked on when it has arrived
	}
	a.Steps, a.media, a.done, a.growing = p, media, make(chan struct{}), recognition.NewGrowing(team.Lengths(list))
	if err := a.start(ctx); err != nil {
		a.count.end(h.Account)
		return nil, err
	}
	return a, nil
}

func (a *Arrival) start(ctx context.Context) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	a.work, a.key = id.String(), audio.ChunkKeys(id.String())
	if a.dir, err = os.MkdirTemp(a.Dir, "arrival-"); err != nil {
		return fmt.Errorf("recognize: making a scratch directory: %w", err)
	}
	ctx, a.stop = context.WithCancel(db.Unhurried(ctx))
	go a.decode(ctx)
	return nil
}

// Write gives the work of Arrive the next bytes of the file. It never waits for the work, and never
// fails.
func (a *Arrival) Write(b []byte) (int, error) {
	if feed, ok := a.file.(*feed); ok {
		return feed.Write(b)
	}
	return len(b), nil
}

// Whole tells the work that the file has arrived.
func (a *Arrival) Whole() { a.file.Finish(io.EOF) }

// Settle waits for the rest of the work on a file that is whole. It returns the id of the work to
// come and the chunks of the file, or no chunks if they cannot be used. After that Keep or Discard
// is called.
func (a *Arrival) Settle(ctx context.Context) (work string, chunks []db.Chunk, ok bool) {
	patience := time.NewTimer(arrivalPatience)
	defer patience.Stop()
	select {
	case <-a.done:
	case <-patience.C:
		return "", nil, false
	case <-ctx.Done():
		return "", nil, false
	}
	if a.err != nil {
		a.Log.DebugContext(ctx, "an upload was not worked on while it arrived", "err", a.err)
		return "", nil, false
	}
	return a.work, a.chunks, true
}

var errDiscarded = errors.New("recognize: the upload is not wanted")

// Discard ends the work and removes what there is of it. A nil Arrival has none.
func (a *Arrival) Discard(ctx context.Context) {
	if a == nil {
		return
	}
	a.Keep(ctx)
	for _, c := range a.chunks {
		a.Audio.DeleteBlobs(context.WithoutCancel(ctx), c.MediaKey)
	}
}

// Keep ends the work and leaves the stored chunks to the work to come.
func (a *Arrival) Keep(ctx context.Context) {
	a.stop()
	a.file.Finish(errDiscarded)
	<-a.done
	a.count.end(a.Account)
	if err := os.RemoveAll(a.dir); err != nil {
		a.Log.WarnContext(ctx, "scratch files were left behind", "dir", a.dir, "err", err)
	}
}
