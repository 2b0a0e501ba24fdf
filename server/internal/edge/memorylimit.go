package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// The largest number of bytes in memory at the same time, and the share of an account.
// The decoder of JSON needs six times the size of a body, so 40 MiB of bodies need 240
// MiB for a moment. A process with 1 GB has enough memory for them.
const (
	DefaultBodyBytes = 40 << 20
	LeastBodyBytes   = 2 * LargestBody // the largest body fits, and some other bodies too
	// DefaultAnswerBytes limits the large answers that clients are reading.
	DefaultAnswerBytes = 64 << 20
	// uploadsAtOnce limits the uploads that are being written into an object store, because
	// their parts are large. A folder stores the bytes as they arrive.
	uploadsAtOnce = 16
	// shares is the number of accounts that together use up a limit.
	shares = 4
)

// memory limits what the requests of the process hold.
type memory struct {
	bodies, answers, uploads *BodyBudget
	openAnswers              *BodyBudget // for requests without an account; the owners are networks

	largestAnswer int64 // in bytes; a larger answer counts as this many
	holdsUploads  bool  // used if an upload needs memory
}

func newMemory(bodyBytes, answerBytes int64, holdsUploads bool) *memory {
	return &memory{
		bodies:  NewBodyBudget(bodyBytes, max(bodyBytes/shares, LargestBody+SmallBody)),
		answers: NewBodyBudget(answerBytes, answerBytes/shares), largestAnswer: answerBytes / shares,
		openAnswers: NewBodyBudget(answerBytes/shares, answerBytes/shares/shares),
		uploads:     NewBodyBudget(uploadsAtOnce, uploadsAtOnce/shares), holdsUploads: holdsUploads, // each upload counts as 1
	}
}

// holding is the memory that one request holds until it is answered. The zero value,
// outside of a request, has no limit.
type holding struct {
	of   *memory
	held []*HeldBody
}

// hold begins to hold bytes of a budget.
func (h *holding) hold(b *BodyBudget, account string) *HeldBody {
	held := b.Hold(account)
	h.held = append(h.held, held)
	return held
}

func (h *holding) release() {
	for _, held := range h.held {
		held.Release()
	}
}

// holdBody begins to hold the body of the request that ctx belongs to; nil means that
// there is no limit.
func holdBody(ctx context.Context) *HeldBody {
	entry := exchangeOf(ctx)
	h := &entry.holding
	if h.of == nil {
		return nil
	}
	return h.hold(h.of.bodies, entry.principal.Account)
}

// HoldUpload holds the memory that an upload needs, until arrived is called, because the request
// may wait much longer for its job.
func HoldUpload(ctx context.Context) (arrived func(), err error) {
	entry := exchangeOf(ctx)
	h := &entry.holding
	if h.of == nil || !h.of.holdsUploads {
		return func() {}, nil
	}
	held := h.hold(h.of.uploads, entry.principal.Account)
	switch err = held.Grow(1); {
	case errors.Is(err, ErrBodiesShare):
		refusal := RateLimited(time.Second)
		refusal.message = fmt.Sprintf("The account is sending %d files, as many as it may at once: send this file when one of them has arrived.", uploadsAtOnce/shares)
		err = refusal
	case errors.Is(err, ErrBodiesFull):
		refusal := Unavailable().With("limit", uploadsAtOnce).Because(err)
		refusal.Message = fmt.Sprintf("The service is taking %d files, as many as it may at once: send this file again in a moment.", uploadsAtOnce)
		err = refusal
	}
	return held.Release, err
}

// holdAnswer holds a large answer while the client reads it. A single answer always fits into
// the share of its account, or of its network if the request has no account.
func holdAnswer(ctx context.Context, size int) error {
	entry := exchangeOf(ctx)
	h := &entry.holding
	if h.of == nil || size <= SmallBody {
		return nil
	}
	counted := min(int64(size), h.of.largestAnswer)
	if entry.principal.Account == "" {
		network := underway.Network(entry.client).String()
		return noRoom(h.hold(h.of.openAnswers, network).Grow(min(counted, h.of.largestAnswer/shares)))
	}
	return noRoom(h.hold(h.of.answers, entry.principal.Account).Grow(counted))
}

// noRoom is the refusal of bytes that do not fit: 429 if the account has used its share, 503 if
// the process has no memory left.
func noRoom(err error) error {
	switch {
	case errors.Is(err, ErrBodiesShare):
		return RateLimited(time.Second)
	case errors.Is(err, ErrBodiesFull):
		return Unavailable().Because(err)
	}
	return err
}

// readWhole reads a body to its end. If the length is known, readWhole holds all bytes before
// it reads the first byte; otherwise it holds them in steps. It refuses a body that is longer
// than most.
func readWhole(body io.Reader, length, most int64, held *HeldBody) ([]byte, error) {
	const first, further = 4 << 10, 2 // bytes; times
	room := length + 1                // one byte more, to detect the end
	if length < 0 {
		room = first
	}
	var all []byte
	for {
		if err := held.Grow(room); err != nil {
			return nil, noRoom(err)
		}
		all = append(make([]byte, 0, room), all...)
		for len(all) < cap(all) {
			n, err := body.Read(all[len(all):cap(all)])
			all = all[:len(all)+n]
			if errors.Is(err, io.EOF) {
				held.Shrink(int64(len(all)))
				return all, nil
			}
			if err != nil {
				return nil, err
			}
		}
		room = min(room*further, most+1)
	}
}
