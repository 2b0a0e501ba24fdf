package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/pipeline"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// keyBeat is how often a request that runs says so; its key is free again after
// a minute without (contract 7).
const keyBeat = 20 * time.Second

// idempotencyKey is the request's Idempotency-Key, empty when it has none.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	valid := len(values) == 1 && len(key) >= 1 && len(key) <= 255
	for i := range len(key) {
		valid = valid && key[i] >= ' ' && key[i] <= '~'
	}
	if !valid {
		return "", invalid(http.StatusBadRequest, transcript.Issue{Path: "Idempotency-Key", Message: "must be 1 to 255 printable ASCII characters, once"})
	}
	return key, nil
}

// fingerprint tells whether two requests are the same: method, path and
// canonical body, whose members are strings, numbers and booleans.
func fingerprint(r *http.Request, body map[string]any) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", r.Method, r.URL.Path)
	_ = json.NewEncoder(hash).Encode(body) // sorts the members; such a map and a hash never fail
	return hash.Sum(nil)
}

// once is a request's hold on its idempotency key. A request without a key has
// one that does nothing.
type once struct {
	s       *Server
	key     store.IdempotencyKey
	held    bool
	stopped chan struct{}
}

// takeKey takes the key of the request. When an earlier request with it has
// been answered, that is returned instead; while one runs, the error says so.
// The fingerprint is nil when it will be known only later.
func (s *Server) takeKey(r *http.Request, key string, fingerprint []byte) (*once, *store.Remembered, error) {
	o := &once{s: s}
	if key == "" {
		return o, nil, nil
	}
	o.key = store.IdempotencyKey{Account: principal(r).Account, Method: r.Method, Route: r.Pattern, Key: key}
	earlier, err := s.cfg.Store.TakeKey(r.Context(), o.key, fingerprint, time.Now())
	if err != nil {
		return nil, nil, err
	}
	if earlier.Taken {
		o.held, o.stopped = true, make(chan struct{})
		go o.beat(context.WithoutCancel(r.Context()))
		return o, nil, nil
	}
	if earlier.Answer != nil {
		return o, &earlier, nil
	}
	if fingerprint != nil && earlier.Fingerprint != nil && string(fingerprint) != string(earlier.Fingerprint) {
		return nil, nil, errConflict()
	}
	running := transcript.Errorf(transcript.IdempotencyInProgress, "The first request with this Idempotency-Key is still running.")
	running.RetryAfter = 1
	return nil, nil, running
}

func errConflict() error {
	return transcript.Errorf(transcript.IdempotencyConflict, "This Idempotency-Key was used with a different request.")
}

func (o *once) beat(ctx context.Context) {
	tick := time.NewTicker(keyBeat)
	defer tick.Stop()
	for {
		select {
		case <-o.stopped:
			return
		case <-tick.C:
		}
		if err := o.s.cfg.Store.BeatKey(ctx, o.key, time.Now()); err != nil {
			o.s.cfg.Log.WarnContext(ctx, "an idempotency key was not kept alive", "err", err)
		}
	}
}

// remember is what a pipeline calls in the transaction that writes what the
// answer speaks of; nil for a request without a key.
func (o *once) remember(fingerprint []byte) pipeline.Remember {
	if !o.held {
		return nil
	}
	return func(ctx context.Context, tx *store.Tx, a store.Answer) error {
		return tx.FinishKey(ctx, o.key, fingerprint, a, time.Now())
	}
}

// rememberedFailure is the answer that a key keeps of a job that has failed: of
// failures only a 404 is remembered (contract 7).
func rememberedFailure(jobID string, err *transcript.Error) *store.Answer {
	if err.HTTPStatus() != http.StatusNotFound {
		return nil
	}
	return &store.Answer{Status: http.StatusNotFound, JobID: jobID}
}

// amend corrects the answer that was remembered when the job was accepted: its
// sender waited, and saw it end. nil: the key is free again.
func (o *once) amend(ctx context.Context, jobID string, a *store.Answer) {
	if !o.held {
		return
	}
	if err := o.s.cfg.Store.AmendKey(ctx, o.key, jobID, a); err != nil {
		// The key then replays the 202, which names the same job.
		o.s.cfg.Log.WarnContext(ctx, "an idempotency key kept its first answer", "err", err)
	}
}

// end lets go of the key: where no answer is remembered it is free again.
func (o *once) end() {
	if !o.held {
		return
	}
	close(o.stopped)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := o.s.cfg.Store.FreeKey(ctx, o.key); err != nil {
		o.s.cfg.Log.WarnContext(ctx, "an idempotency key was not freed", "err", err)
	}
}

// replay answers as the earlier request was answered, rendered anew.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, earlier *store.Remembered, fingerprint []byte, v pipeline.View) error {
	if string(earlier.Fingerprint) != string(fingerprint) {
		return errConflict()
	}
	account := principal(r).Account
	w.Header().Set("Idempotency-Replayed", "true")
	a := earlier.Answer
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
