package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// keyBeat is how often a request that holds a key says that it lives. One that is
	// silent for 15 s is taken for dead where its job is known, else after a minute.
	keyBeat = 5 * time.Second
	// keyTimeout bounds what is written of a key when its request ends.
	keyTimeout = 10 * time.Second
	// keyPause lies between two tries to free a key while the database is away, and
	// after keyPatience the key is free by itself.
	keyPause    = 100 * time.Millisecond
	keyPatience = time.Minute
)

// postHeader is the header of every POST.
func postHeader(key *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("Idempotency-Key", key, request.Printable(255)).About("Makes the request safe to repeat for 24 hours."),
	}}
}

// idempotencyKey is the request's Idempotency-Key, empty when it has none.
func idempotencyKey(r *http.Request) (key string, err error) {
	err = postHeader(&key).ReadHeader(r.Header)
	return key, err
}

// fingerprint tells whether two requests are the same: method, path and
// canonical body, whose members are strings, numbers and booleans.
func fingerprint(r *http.Request, body map[string]any) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", r.Method, r.URL.Path)
	_ = json.NewEncoder(hash).Encode(body) // sorts the members; such a map and a hash never fail
	return hash.Sum(nil)
}

// operation is a POST that is done once for each Idempotency-Key: what it does,
// and how its answer is said again.
type operation struct {
	// read reads what is left of the request once its key is taken; nil: nothing is.
	read func() error
	// fingerprint tells it from other requests, when it has been read.
	fingerprint func() []byte
	// do does it. It calls remember in the transaction that writes what the answer
	// speaks of; remember is nil for a request without a key.
	do func(remember pipeline.Remember) (reply, error)
	// again sends the answer of an earlier request, made anew.
	again func(db.Answer) error
}

// reply is the answer of an operation before it is sent.
type reply struct {
	send func() error
	// keep is the answer to replay where it is another than was remembered.
	keep *db.Answer
	// forget: no answer is replayed, and the key is free again.
	forget bool
}

// once does an operation, or says again what became of it when it was done
// before. One key has one answer: it is settled before it is sent, and until then
// others learn that the first request still runs.
func (s *Server) once(w http.ResponseWriter, r *http.Request, key string, op operation) error {
	if key == "" {
		return s.doUnkeyed(op)
	}
	h, earlier, err := s.takeKey(r, key, op)
	if err != nil {
		return err
	}
	if h != nil {
		defer h.release()
	}
	if op.read != nil {
		if err := op.read(); err != nil {
			return err
		}
	}
	if h == nil {
		if string(earlier.Fingerprint) != string(op.fingerprint()) {
			return errConflict()
		}
		w.Header().Set("Idempotency-Replayed", "true")
		return op.again(*earlier.Answer)
	}
	said, err := op.do(h.remember(op))
	if err != nil {
		h.final = false // what was recorded may have been undone
		h.away = errors.Is(err, db.ErrUnavailable)
		return err
	}
	if !h.settle(said) { // another process took this request for dead, and replays what was recorded
		return op.again(h.recorded)
	}
	return said.send()
}

func (s *Server) doUnkeyed(op operation) error {
	if op.read != nil {
		if err := op.read(); err != nil {
			return err
		}
	}
	said, err := op.do(nil)
	if err != nil {
		return err
	}
	return said.send()
}

// hold is a request's hold on its key.
type hold struct {
	s        *Server
	key      db.HeldKey
	recorded db.Answer // status 0: nothing yet
	final    bool      // recorded is the last word
	away     bool      // the database was, when the request ended
	stopped  chan struct{}
}

// takeKey takes the key of the request, or returns what an earlier request with it
// was answered; while one runs, the error says so. The fingerprint of a request
// that is still to be read is recorded later.
func (s *Server) takeKey(r *http.Request, key string, op operation) (*hold, db.Remembered, error) {
	var fingerprint []byte
	if op.read == nil {
		fingerprint = op.fingerprint()
	}
	id := db.IdempotencyKey{Account: principal(r).Account, Method: r.Method, Route: r.Pattern, Key: key}
	found, err := s.db.TakeKey(r.Context(), id, fingerprint, time.Now())
	switch {
	case err != nil && found.Held != nil: // it may be ours: only the answer is missing
		s.letGo(*found.Held, true)
		return nil, found, err
	case err != nil:
		return nil, found, err
	case found.Held != nil:
		h := &hold{s: s, key: *found.Held, stopped: make(chan struct{})}
		go h.beat(context.WithoutCancel(r.Context()))
		return h, found, nil
	case found.Answer != nil:
		return nil, found, nil
	case fingerprint != nil && found.Fingerprint != nil && string(fingerprint) != string(found.Fingerprint):
		return nil, found, errConflict()
	}
	return nil, found, errRunning()
}

func errConflict() error {
	return transcript.Errorf(transcript.IdempotencyConflict, "This Idempotency-Key was used with a different request.")
}

func errRunning() error {
	e := transcript.Errorf(transcript.IdempotencyInProgress, "The first request with this Idempotency-Key is still running.")
	e.RetryAfter = 1
	return e
}

func (h *hold) beat(ctx context.Context) {
	tick := time.NewTicker(keyBeat)
	defer tick.Stop()
	for {
		select {
		case <-h.stopped:
			return
		case <-tick.C:
		}
		err := h.s.db.BeatKey(ctx, h.key, time.Now())
		if err != nil && !errors.Is(err, db.ErrNotFound) { // settled, or lost: then its next write says so
			h.s.cfg.Log.WarnContext(ctx, "an idempotency key was not kept alive", "err", err)
		}
	}
}

// remember is what a pipeline calls in the transaction that writes what the answer
// speaks of. A request that has lost its key does nothing.
func (h *hold) remember(op operation) pipeline.Remember {
	return func(ctx context.Context, tx *db.Tx, a db.Answer) error {
		h.recorded, h.final = a, a.Status != http.StatusAccepted // while the client waits, a 202 is not the last word
		err := tx.RecordAnswer(ctx, h.key, op.fingerprint(), a, h.final, time.Now())
		if errors.Is(err, db.ErrNotFound) {
			return errRunning()
		}
		return err
	}
}

// settle makes the answer the one that is replayed. It reports false when what was
// recorded before is to stay, as another process has begun to replay it, or the
// database cannot be asked: then that must be said here too.
func (h *hold) settle(said reply) bool {
	if h.final || h.recorded.Status == 0 {
		return true
	}
	keep := said.keep
	switch {
	case said.forget:
		keep = nil
	case keep == nil:
		keep = &h.recorded
	}
	ctx, cancel := context.WithTimeout(context.Background(), keyTimeout)
	defer cancel()
	err := h.s.db.SettleKey(ctx, h.key, keep)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		h.s.cfg.Log.WarnContext(ctx, "an idempotency key keeps its first answer", "err", err)
	}
	h.final = err == nil
	return h.final
}

// release lets go of the key: without a final answer it replays what was recorded,
// and where nothing was, it is free again.
func (h *hold) release() {
	close(h.stopped)
	if h.final {
		return
	}
	h.s.letGo(h.key, h.away)
}

// letGo frees a key. Where the database is away the answer does not wait for it:
// its sender comes back in two seconds and must find the key free.
func (s *Server) letGo(key db.HeldKey, away bool) {
	free := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), keyTimeout)
		defer cancel()
		return s.db.ReleaseKey(ctx, key)
	}
	if !away {
		err := free()
		if away = errors.Is(err, db.ErrUnavailable); err != nil && !away {
			s.cfg.Log.Warn("an idempotency key was not freed", "err", err)
		}
	}
	if !away {
		return
	}
	go func() {
		end := time.After(keyPatience)
		for errors.Is(free(), db.ErrUnavailable) {
			select {
			case <-time.After(keyPause):
			case <-end:
				return
			case <-s.serving.Done():
				return
			}
		}
	}()
}

// replay answers POST /v1/transcript as it was answered before.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, a db.Answer, v pipeline.View) error {
	account := principal(r).Account
	switch {
	case a.Status == http.StatusAccepted:
		s.respondAccepted(r.Context(), w, transcript.Job{JobID: a.JobID, Status: transcript.JobPending, Stage: transcript.StageQueued})
		return nil
	case a.JobID != "":
		job, err := s.pipeline.Job(r.Context(), account, a.JobID, &v)
		if err != nil {
			return err
		}
		if job.Result == nil {
			return failure(job)
		}
		return s.respondResult(w, &pipeline.Result{Result: *job.Result, SegmentsJSON: job.SegmentsJSON})
	}
	res, err := s.pipeline.Transcript(r.Context(), account, a.TranscriptID, v)
	if err != nil {
		return err
	}
	return s.respondResult(w, res)
}
