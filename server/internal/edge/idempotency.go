package edge

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
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Post is a POST that runs once for each Idempotency-Key (see docs/guides/errors.md).
type Post struct {
	// Read reads the request, and returns its body in the canonical form: members with
	// strings, numbers and booleans. Requests with the same method, path and body are equal.
	Read func() (map[string]any, error)
	// Large says that reading the body takes long, so that the key is taken before the body
	// is read.
	Large bool
	// Cached makes the answer of a request that needs neither work nor a write. If it returns a
	// nil Reply, Do runs. Requests with a key call Cached first, see Edge.fromCache. nil means
	// that Do runs for every request.
	Cached func() (*Reply, error)
	// Do runs the operation. The transaction that writes the result also records the answer
	// for the key. key is nil for a request without a key.
	Do func(key *db.HeldKey) (Reply, error)
	// Again makes the answer of an earlier request again, from the subject of the answer. The bytes of
	// an answer are not stored: a repeated answer must not show a batch, a webhook or a link that has
	// been deleted since, or a secret that no longer signs, and no table may contain the address of a
	// link.
	Again func(db.Answer) (Reply, error)
}

// Reply is the answer of an operation before it is sent: a response, or a failure.
type Reply struct {
	Response
	Failure *transcript.Error
	// About names the answer that the key repeats. The zero value means that the transaction
	// has recorded the answer, and that there is nothing to settle.
	About db.Answer
}

// ReplyJSON is a reply with a value as JSON.
func ReplyJSON(status int, header map[string]string, body any) (Reply, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return Reply{}, fmt.Errorf("server: rendering an answer: %w", err)
	}
	return Reply{Response: Response{status, header, packed.NewBody(packed.Raw(b))}}, nil
}

// lasts reports whether a repeated request gets this reply again. Among failures, only 404
// lasts; after any other failure the client may try again.
func (re *Reply) lasts() bool {
	return re.Failure == nil || re.Failure.HTTPStatus() == http.StatusNotFound
}

// Once runs the operation of a request, or repeats the answer of an earlier request with
// the same key. One key has one answer: the answer is recorded before it is sent. Until
// then, other requests with the key get the answer that the first request is still
// running.
func (e *Edge) Once(w http.ResponseWriter, r *http.Request, op Post) error {
	re, err := e.Settle(w, r, op)
	if err != nil {
		return err
	}
	return re.Send(w, r)
}

// Send answers a request with the reply. If the reply is a failure, the error is that
// failure.
func (re *Reply) Send(w http.ResponseWriter, r *http.Request) error {
	if re.Failure != nil {
		return re.Failure
	}
	return re.send(w, r)
}

// Settle is Once for a handler that sends the reply in its own form. If the reply is a
// failure, the error is that failure. Only a header is written to w.
func (e *Edge) Settle(w http.ResponseWriter, r *http.Request, op Post) (re Reply, err error) {
	key, err := idempotencyKey(r)
	switch {
	case err != nil:
		return Reply{}, err
	case key == "":
		re, err = op.unkeyed()
	default:
		re, err = e.keyed(w, r, key, op)
	}
	if err == nil && re.Failure != nil {
		return Reply{}, re.Failure
	}
	return re, err
}

func (op *Post) unkeyed() (Reply, error) {
	if _, err := op.Read(); err != nil {
		return Reply{}, err
	}
	return op.Do(nil)
}

func (e *Edge) keyed(w http.ResponseWriter, r *http.Request, key string, op Post) (_ Reply, err error) {
	var print []byte // nil until the request has been read
	if !op.Large {
		if print, err = op.fingerprint(r); err != nil {
			return Reply{}, err
		}
	}
	id := db.IdempotencyKey{Account: Principal(r).Account, Method: r.Method, Route: r.Pattern, Key: key}
	if re, answered, err := e.fromCache(w, r, id, print, op); err != nil || answered {
		return re, err
	}
	held, earlier, err := e.leases.take(r.Context(), id, print)
	if err != nil {
		return Reply{}, err
	}
	if held == nil {
		return e.replay(w, r, earlier, print, op)
	}
	defer func() { held.release(err) }()
	if op.Large {
		if held.key.Fingerprint, err = op.fingerprint(r); err != nil {
			return Reply{}, err
		}
	}
	return held.do(op)
}

// fromCache answers a request that needs no work, and records the answer for its key in one
// statement. answered is false if the operation must be done.
//
// The request looks into the cache before it has the key. The guarantees for keys still
// hold:
//   - The statement takes the key and records the final answer at once, or it finds that an
//     earlier request has the key. So one key still has one answer. A finished earlier
//     request is replayed, and a running one is a conflict. An answer from the cache does
//     not change this.
//   - The answer is sent after the statement. A client that has an answer gets this answer
//     again.
//   - If a process dies before the statement, it has written nothing: the key is free, and
//     there was no job. If a process dies after the statement, the answer is final, and a
//     repeated request gets it.
//   - If the reply to the statement is lost, the key is either free or has its answer. The
//     client gets a 503 and repeats the request, which works in both states.
//   - If requests with the same key arrive at the same time, one of them takes the key.
//     The others find the final answer of that request.
func (e *Edge) fromCache(w http.ResponseWriter, r *http.Request, id db.IdempotencyKey, print []byte, op Post) (_ Reply, answered bool, err error) {
	if op.Cached == nil {
		return Reply{}, false, nil
	}
	re, err := op.Cached()
	if err != nil || re == nil {
		return Reply{}, false, err
	}
	state, err := e.store.Idempotency.TakeAnswered(r.Context(), id, print, re.About)
	if err != nil {
		return Reply{}, false, err
	}
	if state.Held == nil {
		again, err := e.replay(w, r, state, print, op)
		return again, true, err
	}
	return *re, true, nil
}

// replay answers a request whose key an earlier request has.
func (e *Edge) replay(w http.ResponseWriter, r *http.Request, earlier db.KeyState, print []byte, op Post) (Reply, error) {
	re, err := op.replay(r, earlier, print)
	if err == nil {
		w.Header().Set("Idempotency-Replayed", "true")
		e.metrics.Replayed()
	}
	return re, err
}

// replay repeats the answer of the earlier request with the same key, if the earlier
// request was equal and has ended.
func (op *Post) replay(r *http.Request, earlier db.KeyState, print []byte) (_ Reply, err error) {
	if op.Large && earlier.Answer != nil {
		if print, err = op.fingerprint(r); err != nil {
			return Reply{}, err
		}
	}
	switch {
	case print != nil && earlier.Fingerprint != nil && !bytes.Equal(print, earlier.Fingerprint):
		return Reply{}, transcript.Errorf(transcript.IdempotencyConflict, "The key that makes this request safe to repeat was used for a different request.")
	case earlier.Answer == nil:
		return Reply{}, errRunning(earlier.Left)
	}
	re, err := op.Again(*earlier.Answer)
	var gone *transcript.Error
	if errors.As(err, &gone) && gone.HTTPStatus() == http.StatusNotFound {
		return Reply{Failure: gone}, nil // the job or batch is deleted, and each repetition says so
	}
	return re, err
}

// do runs the operation, and settles its answer.
func (l *lease) do(op Post) (Reply, error) {
	re, err := op.Do(&l.key)
	switch {
	case errors.Is(err, db.ErrKeyLost): // the lease had ended, and another request may have taken the key
		return Reply{}, errRunning(time.Second)
	case err != nil:
		return Reply{}, err
	case re.About == db.Answer{}:
		l.settled = true
		return re, nil
	}
	var keep db.Answer
	if re.lasts() {
		keep = re.About
	}
	stands, err := l.settle(keep)
	if err != nil {
		return Reply{}, err
	}
	if stands != keep {
		return op.Again(stands)
	}
	return re, nil
}

// errRunning means that another request holds the key. left is the rest of that request's
// lease: if the process of that request is dead, the key is free when the lease ends.
func errRunning(left time.Duration) error {
	e := transcript.Errorf(transcript.IdempotencyInProgress, "The same request was sent before, and is still running.")
	e.RetryAfter = retryafter.Seconds(left)
	return e
}

// IdempotencyHeader is the header of every POST.
func IdempotencyHeader(key *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("Idempotency-Key", key, request.Printable(255)).About("Makes the request safe to repeat for 24 hours."),
	}}
}

// idempotencyKey is the request's Idempotency-Key; empty means that the request has no
// key.
func idempotencyKey(r *http.Request) (key string, err error) {
	if r.Header["Idempotency-Key"] == nil {
		return "", nil
	}
	err = IdempotencyHeader(&key).ReadHeader(r.Header)
	return key, err
}

// fingerprint reads the request. Equal requests have equal fingerprints.
func (op *Post) fingerprint(r *http.Request) ([]byte, error) {
	body, err := op.Read()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", r.Method, r.URL.Path)
	_ = json.NewEncoder(hash).Encode(body) // JSON sorts the members; encoding such a map never fails
	return hash.Sum(nil), nil
}
