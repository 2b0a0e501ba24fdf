package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// keyLife is how long a key is stored.
const keyLife = 24 * time.Hour

// KeyLease is how long a request holds its key after each beat (Idempotency.Beat), unless the
// session of its process with the database ends earlier. All ages of keys are measured by the
// database's clock.
const KeyLease = 15 * time.Second

// ErrKeyLost means that a request no longer holds its idempotency key: the key is
// settled, free, or held by another request.
var ErrKeyLost = errors.New("store: the idempotency key is lost")

// IdempotencyKey identifies a stored request. Route is the pattern of its path.
type IdempotencyKey struct {
	Account, Method, Route, Key string
}

// HeldKey is a key that a request has taken.
type HeldKey struct {
	IdempotencyKey
	// Token belongs to this request alone. So a request that was silent for too long cannot
	// change the key of its successor. It begins with the id of the session of the process.
	Token string
	// Fingerprint distinguishes the request from others with the same key; nil while it is
	// not known. It is stored when the key is taken, and with the recorded answer.
	Fingerprint []byte
}

// Answer names the subject of the answer to a stored request. The answer is made again
// from the subject. The zero value means no answer.
type Answer struct {
	Kind AnswerKind `bun:"answer_kind"`
	ID   string     `bun:"answer_id"`
	// Note has the parts of the answer that do not follow from the subject, as they were
	// then; empty means none.
	Note string `bun:"answer_note"`
}

// AnswerKind is the kind of an answer's subject.
type AnswerKind string

// The kinds of answers.
const (
	// JobAnswer returns a job.
	JobAnswer AnswerKind = "job"
	// OutcomeAnswer returns the outcome of the job with the ID: its result, or why it has none.
	OutcomeAnswer AnswerKind = "outcome"
	// TranscriptAnswer returns a transcript.
	TranscriptAnswer AnswerKind = "transcript"
	// BatchAnswer returns a batch, or its state.
	BatchAnswer AnswerKind = "batch"
	// UploadAnswer returns an upload that is not complete.
	UploadAnswer AnswerKind = "upload"
	// RefusedAnswer refuses the file of an upload as UPLOAD_INVALID. The Note says why.
	RefusedAnswer AnswerKind = "refused"
)

// KeyState is the state of an idempotency key.
type KeyState struct {
	// Held is set if the key was free and now belongs to this request until it is settled or released.
	Held *HeldKey
	// Fingerprint of the first request; nil while it is not known yet.
	Fingerprint []byte
	// Answer of the first request; nil while it runs.
	Answer *Answer
	// Left is the remaining lease of a running request: more than 0, and at most KeyLease.
	Left time.Duration
}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:i"`

	HeldKey
	Done    bool // the answer is final
	Answer       // the zero value until an answer is recorded
	TakenAt time.Time
	BeatAt  time.Time
	ReadAt  time.Time `bun:",scanonly"`
}

// Idempotency takes and releases idempotency keys.
type Idempotency struct{ store *Store }

// IdempotencyTx records the answers to requests that hold idempotency keys.
type IdempotencyTx struct{ tx *Tx }

// Take takes a free key, or returns the request that has the key. A key is free if no request has
// taken it within 24 h, or if the lease or the process of its request has ended without a
// recorded answer. If the lease or the process has ended with a recorded answer, that answer is
// final. If Take returns an error and sets Held, the key may have been taken although the
// database's answer was lost. Release this key.
func (s Idempotency) Take(ctx context.Context, k IdempotencyKey, fingerprint []byte) (KeyState, error) {
	row := idempotencyRow{HeldKey: HeldKey{k, s.token(), fingerprint}}
	return s.take(ctx, row, func() (bool, error) {
		taken, err := s.insert(ctx, map[IdempotencyKey]idempotencyRow{k: row})
		return taken[k], err
	})
}

// TakeAnswered takes a free key and records its final answer, in a statement that concurrent
// requests share. If the key is not free, TakeAnswered returns the request that has the key.
func (s Idempotency) TakeAnswered(ctx context.Context, k IdempotencyKey, fingerprint []byte, a Answer) (KeyState, error) {
	row := idempotencyRow{HeldKey: HeldKey{k, s.token(), fingerprint}, Done: true, Answer: a}
	return s.take(ctx, row, func() (bool, error) { return s.store.answered.Do(ctx, k, row) })
}

func (s Idempotency) take(ctx context.Context, row idempotencyRow, insert func() (taken bool, err error)) (KeyState, error) {
	for {
		taken, err := insert()
		if err != nil || taken {
			return KeyState{Held: &row.HeldKey, Fingerprint: row.Fingerprint}, wrap("take idempotency key", err)
		}
		earlier, err := s.earlier(ctx, row.IdempotencyKey)
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrKeyLost) {
			continue // its request has ended meanwhile
		}
		return earlier, err
	}
}

// insert takes the free keys among the given ones. The rows are locked in order, so that
// two processes do not block each other.
func (s Idempotency) insert(ctx context.Context, rows map[IdempotencyKey]idempotencyRow) (taken map[IdempotencyKey]bool, err error) {
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	now := s.store.sql.Ago(0)
	args := make([]any, 0, (len(rows)+1)*strings.Count(row, "?"))
	ordered := func(a, b IdempotencyKey) int {
		return strings.Compare(a.Account+a.Route+a.Key, b.Account+b.Route+b.Key)
	}
	for _, k := range slices.SortedFunc(maps.Keys(rows), ordered) {
		r := rows[k]
		args = append(args, k.Account, k.Method, k.Route, k.Key, r.Token, r.Fingerprint, r.Done, r.Kind, r.ID, r.Note, now, now)
	}
	var mine []IdempotencyKey
	// A beat from the future is from before the clock was set back.
	err = s.store.sql.DoReturning(ctx, &mine, `INSERT INTO idempotency_keys AS i
		(account, method, route, key, token, fingerprint, done, answer_kind, answer_id, answer_note, taken_at, beat_at)
		VALUES `+strings.Repeat(row+", ", len(rows)-1)+row+`
		ON CONFLICT (account, method, route, key) DO UPDATE
		SET token = excluded.token, fingerprint = excluded.fingerprint, done = excluded.done, answer_kind = excluded.answer_kind,
			answer_id = excluded.answer_id, answer_note = excluded.answer_note, taken_at = excluded.taken_at, beat_at = excluded.beat_at
		WHERE i.taken_at < ? OR (NOT i.done AND i.answer_kind = '' AND i.beat_at NOT BETWEEN ? AND ?)
		RETURNING account, method, route, key`,
		append(args, s.store.sql.Ago(keyLife), s.store.sql.Ago(KeyLease), s.store.sql.Ago(-KeyLease))...)
	taken = make(map[IdempotencyKey]bool, len(mine))
	for _, k := range mine {
		taken[k] = true
	}
	return taken, err
}

// earlier is the state of a key that another request has taken.
func (s Idempotency) earlier(ctx context.Context, k IdempotencyKey) (KeyState, error) {
	row, err := s.row(ctx, k)
	if err != nil {
		return KeyState{}, err
	}
	ended, err := s.ended(ctx, row)
	if err == nil && ended {
		if err = s.Release(ctx, row.HeldKey); err == nil {
			err = ErrKeyLost
		}
	}
	if err != nil {
		return KeyState{}, err
	}
	left := row.BeatAt.Add(KeyLease).Sub(row.ReadAt)
	if !row.Done && row.Answer != (Answer{}) && (left <= 0 || left > 2*KeyLease) {
		// If its request is alive after all, Settle tells it that the key is lost.
		if err := s.settle(ctx, row.HeldKey, row.Answer); err != nil {
			return KeyState{}, err
		}
		row.Done = true
	}
	if row.Done {
		return KeyState{Fingerprint: row.Fingerprint, Answer: &row.Answer}, nil
	}
	return KeyState{Fingerprint: row.Fingerprint, Left: min(max(left, 1), KeyLease)}, nil
}

// token makes a new token.
func (s Idempotency) token() string {
	if session := s.store.sql.Session(); session != 0 {
		return strconv.FormatInt(session, 10) + "." + rand.Text()
	}
	return rand.Text()
}

// ended reports whether the process of a request ended before the request did.
func (s Idempotency) ended(ctx context.Context, row *idempotencyRow) (bool, error) {
	of, _, _ := strings.Cut(row.Token, ".")
	session, err := strconv.ParseInt(of, 10, 64)
	if err != nil || row.Done { // a process of the previous version, or behind a pooler, has taken the key
		return false, nil //nolint:nilerr // then the lease counts
	}
	ended, err := s.store.sql.Ended(ctx, session)
	return len(ended) > 0, err
}

// row reads from the writer, which sees why a key could not be taken.
func (s Idempotency) row(ctx context.Context, k IdempotencyKey) (*idempotencyRow, error) {
	row := new(idempotencyRow)
	err := s.store.writer.NewSelect().Model(row).ColumnExpr("i.*, ? AS read_at", s.store.sql.Ago(0)).Where(isKey, k.args()...).Scan(ctx)
	return row, one("idempotency key", err)
}

// Beat renews the lease of the request that holds the key. The error is ErrKeyLost if the
// request no longer holds the key.
func (s Idempotency) Beat(ctx context.Context, h HeldKey) error {
	n, err := s.store.sql.Do(ctx, "UPDATE idempotency_keys SET beat_at = ? WHERE "+isHeld, append([]any{s.store.sql.Ago(0)}, h.args()...)...)
	return mustHold("beat idempotency key", n, err)
}

// Record records the subject of the answer to a request, in the transaction that writes
// the subject; nil is a request without a key. A final answer is replayed from now on.
// Any other answer is replayed only if the request ends without a better one (Settle,
// Release), or is considered dead. The error is ErrKeyLost if the request no longer holds
// the key; then the transaction must not be committed.
func (w IdempotencyTx) Record(ctx context.Context, h *HeldKey, a Answer, final bool) error {
	if h == nil {
		return nil
	}
	res, err := w.tx.db.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("fingerprint = ?, done = ?, answer_kind = ?, answer_id = ?, answer_note = ?", h.Fingerprint, final, a.Kind, a.ID, a.Note).
		Where(isHeld, h.args()...).
		Exec(ctx)
	n, err := affected(res, err)
	return mustHold("record answer of idempotency key", n, err)
}

// Settle makes an answer that is about to be sent final, so that it is replayed from now
// on. The zero Answer means that there is none, and frees the key. It returns the answer
// to send: a, unless the request was considered dead and its recorded answer is already
// replayed. The error is ErrKeyLost if the request has no recorded answer either.
func (s Idempotency) Settle(ctx context.Context, h HeldKey, a Answer) (Answer, error) {
	err := s.settle(ctx, h, a)
	if !errors.Is(err, ErrKeyLost) {
		return a, err
	}
	row, e := s.row(ctx, h.IdempotencyKey)
	if e != nil && !errors.Is(e, ErrNotFound) {
		return Answer{}, e
	}
	if e != nil || row.Token != h.Token {
		return Answer{}, err
	}
	return row.Answer, nil
}

func (s Idempotency) settle(ctx context.Context, h HeldKey, a Answer) error {
	if a == (Answer{}) {
		n, err := s.store.sql.Do(ctx, "DELETE FROM idempotency_keys WHERE "+isHeld, h.args()...)
		return mustHold("free idempotency key", n, err)
	}
	n, err := s.store.sql.Do(ctx, "UPDATE idempotency_keys SET done = ?, answer_kind = ?, answer_id = ?, answer_note = ? WHERE "+isHeld,
		append([]any{true, a.Kind, a.ID, a.Note}, h.args()...)...)
	return mustHold("settle idempotency key", n, err)
}

// Release releases a key whose request ends without a final answer. A recorded answer is
// then replayed; without a recorded answer, the key is free. It ignores a key that is
// settled or that another request holds.
func (s Idempotency) Release(ctx context.Context, h HeldKey) error {
	if _, err := s.store.sql.Do(ctx, "DELETE FROM idempotency_keys WHERE "+isHeld+" AND answer_kind = ''", h.args()...); err != nil {
		return wrap("free idempotency key", err)
	}
	_, err := s.store.sql.Do(ctx, "UPDATE idempotency_keys SET done = ? WHERE "+isHeld, append([]any{true}, h.args()...)...)
	return wrap("release idempotency key", err)
}

// freeAll ends all leases: the recorded answers become final, and the other keys become free.
func (s Idempotency) freeAll(ctx context.Context) error {
	return s.store.InTx(Unhurried(ctx), func(ctx context.Context, tx *Tx) error { // it reads the keys of a whole day
		_, err := tx.db.NewUpdate().Model((*idempotencyRow)(nil)).Set("done = ?", true).Where("NOT done AND answer_kind <> ''").Exec(ctx)
		if err != nil {
			return wrap("settle idempotency keys", err)
		}
		_, err = tx.db.NewDelete().Model((*idempotencyRow)(nil)).Where("NOT done").Exec(ctx)
		return wrap("free idempotency keys", err)
	})
}

const (
	isKey  = "account = ? AND method = ? AND route = ? AND key = ?"
	isHeld = isKey + " AND token = ? AND NOT done"
)

func (k IdempotencyKey) args() []any { return []any{k.Account, k.Method, k.Route, k.Key} }
func (h HeldKey) args() []any        { return append(h.IdempotencyKey.args(), h.Token) }

// mustHold returns ErrKeyLost if a statement found no held key.
func mustHold(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrKeyLost)
	}
	return wrap(what, err)
}
