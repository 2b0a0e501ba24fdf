package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// operation is a POST that is done once for each Idempotency-Key (see API.md,
// Idempotency).
type operation struct {
	// read reads the request, and returns its body in the canonical form: members with
	// strings, numbers and booleans. Requests with the same method, path and body are
	// the same.
	read func() (map[string]any, error)
	// large: the body takes long to read, and the key is taken before.
	large bool
	// do does it. The transaction that writes what the answer speaks of records that for
	// the key, which is nil for a request without one.
	do func(key *db.HeldKey) (reply, error)
	// again makes the answer of an earlier request anew.
	again func(db.Answer) (reply, error)
}

// reply is the answer of an operation before it is sent: a response, or a failure.
type reply struct {
	response
	failure *transcript.Error
	// about is what the key is to replay. Zero: what the transaction has recorded
	// stands, and there is nothing left to settle.
	about db.Answer
}

// lasts reports whether a request that is repeated is given this reply again. Of
// failures, that is what is not there; what else fails may be tried again.
func (re *reply) lasts() bool {
	return re.failure == nil || re.failure.HTTPStatus() == http.StatusNotFound
}

// once answers a request by doing its operation, or with what an earlier request
// with its key was answered. One key has one answer: it is settled before it is
// sent, and until then others learn that the first request still runs.
func (s *Server) once(w http.ResponseWriter, r *http.Request, op operation) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var re reply
	if key == "" {
		re, err = op.unkeyed()
	} else {
		re, err = s.keyed(w, r, key, op)
	}
	switch {
	case err != nil:
		return err
	case re.failure != nil:
		return re.failure
	}
	return re.send(w, r)
}

func (op *operation) unkeyed() (reply, error) {
	if _, err := op.read(); err != nil {
		return reply{}, err
	}
	return op.do(nil)
}

func (s *Server) keyed(w http.ResponseWriter, r *http.Request, key string, op operation) (re reply, err error) {
	var print []byte // nil until the request has been read
	if !op.large {
		if print, err = op.fingerprint(r); err != nil {
			return reply{}, err
		}
	}
	id := db.IdempotencyKey{Account: principal(r).Account, Method: r.Method, Route: r.Pattern, Key: key}
	held, earlier, err := s.leases.take(r.Context(), id, print)
	if err != nil {
		return reply{}, err
	}
	if held == nil {
		re, err := op.replay(r, earlier, print)
		if err == nil {
			w.Header().Set("Idempotency-Replayed", "true")
			s.metrics.Replayed()
		}
		return re, err
	}
	defer func() { held.release(err) }()
	if op.large {
		if held.key.Fingerprint, err = op.fingerprint(r); err != nil {
			return reply{}, err
		}
	}
	return held.do(op)
}

// replay makes the answer anew that an earlier request with the same key was given,
// if that was the same request and has ended.
func (op *operation) replay(r *http.Request, earlier db.KeyState, print []byte) (_ reply, err error) {
	if op.large && earlier.Answer != nil {
		if print, err = op.fingerprint(r); err != nil {
			return reply{}, err
		}
	}
	switch {
	case print != nil && earlier.Fingerprint != nil && !bytes.Equal(print, earlier.Fingerprint):
		return reply{}, transcript.Errorf(transcript.IdempotencyConflict, "The key that makes this request safe to repeat was used for a different request.")
	case earlier.Answer == nil:
		return reply{}, errRunning(earlier.Left)
	}
	re, err := op.again(*earlier.Answer)
	var gone *transcript.Error
	if errors.As(err, &gone) && gone.HTTPStatus() == http.StatusNotFound {
		return reply{failure: gone}, nil // what it has made is deleted: that too is told each time
	}
	return re, err
}

// do does the operation, and settles its answer.
func (l *lease) do(op operation) (reply, error) {
	re, err := op.do(&l.key)
	switch {
	case errors.Is(err, db.ErrKeyLost): // its lease had ended, and another request may have taken the key
		return reply{}, errRunning(time.Second)
	case err != nil:
		return reply{}, err
	case re.about == db.Answer{}:
		l.settled = true
		return re, nil
	}
	var keep db.Answer
	if re.lasts() {
		keep = re.about
	}
	stands, err := l.settle(keep)
	if err != nil {
		return reply{}, err
	}
	if stands != keep {
		return op.again(stands)
	}
	return re, nil
}

// errRunning says that another request holds the key. left is what is left of its
// lease: then the key is free at the latest, should the process of that request be dead.
func errRunning(left time.Duration) error {
	e := transcript.Errorf(transcript.IdempotencyInProgress, "The same request was sent before, and is still running.")
	e.RetryAfter = retryafter.Seconds(left)
	return e
}

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

// fingerprint reads the request, and tells it from others.
func (op *operation) fingerprint(r *http.Request) ([]byte, error) {
	body, err := op.read()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", r.Method, r.URL.Path)
	_ = json.NewEncoder(hash).Encode(body) // sorts the members; such a map and a hash never fail
	return hash.Sum(nil), nil
}
