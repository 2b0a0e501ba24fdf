package db

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// How long a key is remembered, and how long its request may be silent:
// then one that has written what its answer speaks of is taken for dead and
// that answer given, and one that has not loses the key.
const (
	keyLife     = 24 * time.Hour
	answerQuiet = 15 * time.Second
	keyQuiet    = time.Minute
)

// IdempotencyKey identifies a remembered request: (account, method, route
// pattern, key).
type IdempotencyKey struct {
	Account, Method, Route, Key string
}

// HeldKey is a key that a request has taken. Its token is that request's alone,
// so that one that was silent for too long cannot touch what its successor holds.
type HeldKey struct {
	IdempotencyKey
	Token string
}

// Answer is what a remembered request was answered with.
type Answer struct {
	Status       int
	JobID        string // of the job that the answer speaks of, if any
	TranscriptID string // of the transcript that the answer carries, if any
}

// Remembered is the state of an idempotency key.
type Remembered struct {
	// Held is set when the key was free and is now this request's, until it is
	// settled or released.
	Held *HeldKey
	// Fingerprint of the first request; nil while it is not known yet.
	Fingerprint []byte
	// Answer of the first request; nil while it runs.
	Answer *Answer
}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:i"`

	HeldKey
	Fingerprint []byte
	Done        bool // the answer is final
	Answer           // its status is 0 until something is written that it speaks of
	TakenAt     time.Time
	BeatAt      time.Time
}

// TakeKey takes a free key, or says who has it. A key is free when it was never
// taken, was taken more than 24 h ago, or its request has written nothing and has
// not beaten (BeatKey) for 60 s. The answer of a request that has written
// something and has not beaten for 15 s is final. Beside an error Held is what may
// have been taken all the same, where the database's answer was lost: release it.
func (s *Store) TakeKey(ctx context.Context, k IdempotencyKey, fingerprint []byte, now time.Time) (Remembered, error) {
	ctx, err := s.enter(ctx)
	if err != nil {
		return Remembered{}, err
	}
	now = moment(now)
	held := HeldKey{k, rand.Text()}
	row := &idempotencyRow{HeldKey: held, Fingerprint: fingerprint, TakenAt: now, BeatAt: now}
	for {
		res, err := s.writer.NewInsert().Model(row).
			On("CONFLICT (account, method, route, key) DO UPDATE").
			Set(`token = excluded.token, fingerprint = excluded.fingerprint, done = excluded.done, status = excluded.status,
				job_id = excluded.job_id, transcript_id = excluded.transcript_id,
				taken_at = excluded.taken_at, beat_at = excluded.beat_at`).
			Where("i.taken_at < ? OR (NOT i.done AND i.status = 0 AND i.beat_at < ?)", now.Add(-keyLife), now.Add(-keyQuiet)).
			Exec(ctx)
		n, err := affected(res, err)
		if err != nil {
			return Remembered{Held: &held}, wrap("take idempotency key", err)
		}
		if n > 0 {
			return Remembered{Held: &held, Fingerprint: fingerprint}, nil
		}
		earlier, err := s.earlier(ctx, k, now)
		if errors.Is(err, ErrNotFound) {
			continue // freed in between
		}
		return earlier, err
	}
}

// earlier is the state of a key that somebody else has taken.
func (s *Store) earlier(ctx context.Context, k IdempotencyKey, now time.Time) (Remembered, error) {
	var row idempotencyRow
	// From the writer, which sees what kept the key from being taken.
	err := s.writer.NewSelect().Model(&row).Where(isKey, k.args()...).Scan(ctx)
	if err != nil {
		return Remembered{}, one("idempotency key", err)
	}
	if !row.Done && row.Status != 0 && row.BeatAt.Before(now.Add(-answerQuiet)) {
		// Should its request live after all, it finds the key gone.
		if err := s.settle(ctx, row.HeldKey, &row.Answer); err != nil {
			return Remembered{}, err
		}
		row.Done = true
	}
	held := Remembered{Fingerprint: row.Fingerprint}
	if row.Done {
		held.Answer = &row.Answer
	}
	return held, nil
}

// BeatKey says that the request that holds the key still runs. ErrNotFound when it
// holds it no more.
func (s *Store) BeatKey(ctx context.Context, h HeldKey, now time.Time) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	res, err := s.writer.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("beat_at = ?", moment(now)).
		Where(isHeld, h.args()...).
		Exec(ctx)
	return mustAffect("beat idempotency key", res, err)
}

// RecordAnswer notes what the request will answer should it not live to say more,
// in the transaction that writes what the answer speaks of; final: it will not
// say more, and is replayed from now on. ErrNotFound when the request holds the
// key no more: then the transaction must not be committed.
func (tx *Tx) RecordAnswer(ctx context.Context, h HeldKey, fingerprint []byte, a Answer, final bool, now time.Time) error {
	res, err := tx.db.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("fingerprint = ?, done = ?, status = ?, job_id = ?, transcript_id = ?, beat_at = ?",
			fingerprint, final, a.Status, a.JobID, a.TranscriptID, moment(now)).
		Where(isHeld, h.args()...).
		Exec(ctx)
	return mustAffect("record answer of idempotency key", res, err)
}

// SettleKey replaces the recorded answer by the final one, which is about to be
// sent and is replayed from now on; nil: none is, the key is free again.
// ErrNotFound when the request holds the key no more: then it is the recorded
// answer that is replayed.
func (s *Store) SettleKey(ctx context.Context, h HeldKey, a *Answer) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	return s.settle(ctx, h, a)
}

func (s *Store) settle(ctx context.Context, h HeldKey, a *Answer) error {
	if a == nil {
		res, err := s.writer.NewDelete().Model((*idempotencyRow)(nil)).Where(isHeld, h.args()...).Exec(ctx)
		return mustAffect("free idempotency key", res, err)
	}
	res, err := s.writer.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("done = ?, status = ?, job_id = ?, transcript_id = ?", true, a.Status, a.JobID, a.TranscriptID).
		Where(isHeld, h.args()...).
		Exec(ctx)
	return mustAffect("settle idempotency key", res, err)
}

// ReleaseKey lets go of a key whose request ends without a final answer: what was
// recorded is replayed; where nothing was, the key is free. A key that is settled,
// or that another request holds, is left alone.
func (s *Store) ReleaseKey(ctx context.Context, h HeldKey) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewDelete().Model((*idempotencyRow)(nil)).Where(isHeld+" AND status = 0", h.args()...).Exec(ctx)
	if err != nil {
		return wrap("free idempotency key", err)
	}
	_, err = s.writer.NewUpdate().Model((*idempotencyRow)(nil)).Set("done = ?", true).Where(isHeld, h.args()...).Exec(ctx)
	return wrap("release idempotency key", err)
}

const (
	isKey  = "account = ? AND method = ? AND route = ? AND key = ?"
	isHeld = isKey + " AND token = ? AND NOT done"
)

func (k IdempotencyKey) args() []any { return []any{k.Account, k.Method, k.Route, k.Key} }

func (h HeldKey) args() []any { return append(h.IdempotencyKey.args(), h.Token) }
