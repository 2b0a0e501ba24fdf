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

// keyLife is how long a key is remembered.
const keyLife = 24 * time.Hour

// KeyLease is how long a request holds its key after each beat (Idempotency.Beat), if the session
// of its process with the database does not end before. All ages of keys are judged by the
// database's clock.
const KeyLease = 15 * time.Second

// ErrKeyLost says that a request holds its idempotency key no more: it is settled,
// free, or another request's.
var ErrKeyLost = errors.New("store: the idempotency key is lost")

// IdempotencyKey identifies a remembered request. Route is the pattern of its
// path.
type IdempotencyKey struct {
	Account, Method, Route, Key string
}

// HeldKey is a key that a request has taken.
type HeldKey struct {
	IdempotencyKey
	// Token belongs to this request alone. So a request that was silent for too long
	// cannot touch the key of its successor. It begins with the session of the process.
	Token string
	// Fingerprint tells the request from others with the same key; nil while it is not
	// known. It is stored when the key is taken, and with the recorded answer.
	Fingerprint []byte
}

// Answer is what the answer to a remembered request speaks of: it is made again
// from that. The zero value is no answer.
type Answer struct {
	Kind AnswerKind `bun:"answer_kind"`
	ID   string     `bun:"answer_id"`
	// Note is what the answer says beyond that, as it stood then; empty means nothing.
	Note string `bun:"answer_note"`
}

// AnswerKind says what an answer speaks of.
type AnswerKind string

// The kinds of answers.
const (
	// JobAnswer hands out a job.
	JobAnswer AnswerKind = "job"
	// OutcomeAnswer says what became of the job with the ID: its result, or why it has
	// none.
	OutcomeAnswer AnswerKind = "outcome"
	// TranscriptAnswer carries a transcript.
	TranscriptAnswer AnswerKind = "transcript"
	// BatchAnswer hands out a batch, or says how it stands.
	BatchAnswer AnswerKind = "batch"
	// UploadAnswer hands out an upload that is not whole.
	UploadAnswer AnswerKind = "upload"
	// RefusedAnswer refuses the file of an upload as UPLOAD_INVALID. The Note says why.
	RefusedAnswer AnswerKind = "refused"
)

// KeyState is the state of an idempotency key.
type KeyState struct {
	// Held is set when the key was free and is now this request's, until it is
	// settled or released.
	Held *HeldKey
	// Fingerprint of the first request; nil while it is not known yet.
	Fingerprint []byte
	// Answer of the first request; nil while it runs.
	Answer *Answer
	// Left is what is left of the lease of a request that runs: more than 0, KeyLease at
	// most.
	Left time.Duration
}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:i"`

	HeldKey
	Done    bool // the answer is final
	Answer       // the zero value until one is recorded
	TakenAt time.Time
	BeatAt  time.Time
	ReadAt  time.Time `bun:",scanonly"`
}

// Idempotency takes idempotency keys and lets go of them.
type Idempotency struct{ store *Store }

// IdempotencyTx records the answers to requests that hold idempotency keys.
type IdempotencyTx struct{ tx *Tx }

// Take takes a free key, or says which request has the key. A key is free if no request
// has taken it within 24 h, or if the lease of its request, or the process, has ended without a
// recorded answer. If the lease or the process has ended with a recorded answer, this answer is final. Next to
// an error, Held is a key that may have been taken, because the database's answer was
// lost: release this key.
func (s Idempotency) Take(ctx context.Context, k IdempotencyKey, fingerprint []byte) (KeyState, error) {
	row := idempotencyRow{HeldKey: HeldKey{k, s.token(), fingerprint}}
	return s.take(ctx, row, func() (bool, error) {
		taken, err := s.insert(ctx, map[IdempotencyKey]idempotencyRow{k: row})
		return taken[k], err
	})
}

// TakeAnswered takes a free key and records its final answer, in a statement that requests at
// the same time share. If the key is not free, TakeAnswered says which request has the key.
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
			continue // its request has ended in between
		}
		return earlier, err
	}
}

// insert takes those of the keys that are free. The rows are locked in order, so that two
// processes do not lock each other out.
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
	// A beat from the future is one from before the clock was set back.
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

// earlier is the state of a key that somebody else has taken.
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
		// Should its request live after all, Settle tells it so.
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

// ended reports whether the process of a request has ended before the request.
func (s Idempotency) ended(ctx context.Context, row *idempotencyRow) (bool, error) {
	of, _, _ := strings.Cut(row.Token, ".")
	session, err := strconv.ParseInt(of, 10, 64)
	if err != nil || row.Done { // a process of the version before, or behind a pooler, has taken the key
		return false, nil //nolint:nilerr // then the lease counts
	}
	ended, err := s.store.sql.Ended(ctx, session)
	return len(ended) > 0, err
}

// row reads from the writer, which sees what kept a key from being taken.
func (s Idempotency) row(ctx context.Context, k IdempotencyKey) (*idempotencyRow, error) {
	row := new(idempotencyRow)
	err := s.store.writer.NewSelect().Model(row).ColumnExpr("i.*, ? AS read_at", s.store.sql.Ago(0)).Where(isKey, k.args()...).Scan(ctx)
	return row, one("idempotency key", err)
}

// Beat renews the lease of the request that holds the key. ErrKeyLost when it
// holds it no more.
func (s Idempotency) Beat(ctx context.Context, h HeldKey) error {
	n, err := s.store.sql.Do(ctx, "UPDATE idempotency_keys SET beat_at = ? WHERE "+isHeld, append([]any{s.store.sql.Ago(0)}, h.args()...)...)
	return mustHold("beat idempotency key", n, err)
}

// Record records what the answer to a request speaks of, in the transaction
// that writes it; nil is a request without a key. A final answer is replayed from
// now on; another one only when the request ends without a better one (Settle,
// Release), or is taken for dead. ErrKeyLost when the request holds the key no
// more: then the transaction must not be committed.
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

// Settle makes an answer the final one, which is about to be sent and is
// replayed from now on; the zero Answer: none is, and the key is free. It returns
// the answer that is to be sent: a, unless the request was taken for dead, and what
// it had recorded is replayed already. ErrKeyLost when the key is not even that.
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

// Release lets go of a key whose request ends without a final answer: what was
// recorded is replayed; where nothing was, the key is free. A key that is settled,
// or that another request holds, is left alone.
func (s Idempotency) Release(ctx context.Context, h HeldKey) error {
	if _, err := s.store.sql.Do(ctx, "DELETE FROM idempotency_keys WHERE "+isHeld+" AND answer_kind = ''", h.args()...); err != nil {
		return wrap("free idempotency key", err)
	}
	_, err := s.store.sql.Do(ctx, "UPDATE idempotency_keys SET done = ? WHERE "+isHeld, append([]any{true}, h.args()...)...)
	return wrap("release idempotency key", err)
}

// freeAll ends all leases: what their requests had recorded is their final answer,
// and the other keys are free.
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

// mustHold returns ErrKeyLost when a statement found no held key.
func mustHold(what string, n int64, err error) error {
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrKeyLost)
	}
	return wrap(what, err)
}
