package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// How long a key is remembered, and how long a request that gives no sign of
// life keeps it (contract 7).
const (
	keyLife    = 24 * time.Hour
	keySilence = time.Minute
)

// IdempotencyKey identifies a remembered request: (account, method, route
// pattern, key), contract 7.
type IdempotencyKey struct {
	Account, Method, Route, Key string
}

// Answer is what a remembered request was answered with.
type Answer struct {
	Status       int
	JobID        string // of the job that the answer speaks of, if any
	TranscriptID string // of the transcript that the answer carries, if any
}

// Remembered is the state of an idempotency key.
type Remembered struct {
	// Taken: the key was free and is now this request's, until Finish or Free.
	Taken bool
	// Fingerprint of the first request; nil while it is not known yet.
	Fingerprint []byte
	// Answer of the first request; nil while it runs.
	Answer *Answer
}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:i"`

	IdempotencyKey
	Fingerprint []byte
	Done        bool
	Answer
	TakenAt time.Time
	BeatAt  time.Time
}

// The parts of the statements that take and finish a key.
const (
	onTakenKey = "CONFLICT (account, method, route, key) DO UPDATE"
	overwrite  = `fingerprint = excluded.fingerprint, done = excluded.done, status = excluded.status,
		job_id = excluded.job_id, transcript_id = excluded.transcript_id,
		beat_at = excluded.beat_at`
)

// TakeKey takes a free key, or says who has it. A key is free when it was never
// taken, was taken more than 24 h ago, or its request has neither ended nor
// beaten (BeatKey) for 60 s.
func (s *Store) TakeKey(ctx context.Context, k IdempotencyKey, fingerprint []byte, now time.Time) (Remembered, error) {
	ctx, err := s.enter(ctx)
	if err != nil {
		return Remembered{}, err
	}
	now = moment(now)
	row := &idempotencyRow{IdempotencyKey: k, Fingerprint: fingerprint, TakenAt: now, BeatAt: now}
	for {
		res, err := s.writer.NewInsert().Model(row).
			On(onTakenKey).Set(overwrite+", taken_at = excluded.taken_at").
			Where("i.taken_at < ? OR (NOT i.done AND i.beat_at < ?)", now.Add(-keyLife), now.Add(-keySilence)).
			Exec(ctx)
		n, err := affected(res, err)
		if err != nil {
			return Remembered{}, wrap("take idempotency key", err)
		}
		if n > 0 {
			return Remembered{Taken: true, Fingerprint: fingerprint}, nil
		}
		held, err := s.heldKey(ctx, k)
		if errors.Is(err, ErrNotFound) {
			continue // freed in between
		}
		return held, err
	}
}

func (s *Store) heldKey(ctx context.Context, k IdempotencyKey) (Remembered, error) {
	var row idempotencyRow
	// From the writer, which sees what kept the key from being taken.
	err := s.writer.NewSelect().Model(&row).Where(isKey, k.args()...).Scan(ctx)
	if err != nil {
		return Remembered{}, one("idempotency key", err)
	}
	held := Remembered{Fingerprint: row.Fingerprint}
	if row.Done {
		held.Answer = &row.Answer
	}
	return held, nil
}

// BeatKey says that the request that has taken the key still runs.
func (s *Store) BeatKey(ctx context.Context, k IdempotencyKey, now time.Time) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("beat_at = ?", moment(now)).
		Where(isKey+" AND NOT done", k.args()...).
		Exec(ctx)
	return wrap("beat idempotency key", err)
}

// FreeKey forgets a key whose request ended without a result worth remembering.
func (s *Store) FreeKey(ctx context.Context, k IdempotencyKey) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewDelete().Model((*idempotencyRow)(nil)).
		Where(isKey+" AND NOT done", k.args()...).
		Exec(ctx)
	return wrap("free idempotency key", err)
}

// FinishKey remembers the answer, in the transaction that writes what it speaks
// of. Where another request has taken the silent key and finished before, it is
// ErrExists, and the transaction should not be committed.
func (tx *Tx) FinishKey(ctx context.Context, k IdempotencyKey, fingerprint []byte, a Answer, now time.Time) error {
	now = moment(now)
	row := &idempotencyRow{IdempotencyKey: k, Fingerprint: fingerprint, Done: true, Answer: a, TakenAt: now, BeatAt: now}
	res, err := tx.db.NewInsert().Model(row).On(onTakenKey).Set(overwrite).Where("NOT i.done").Exec(ctx)
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("idempotency key: %w", ErrExists)
	}
	return wrap("finish idempotency key", err)
}

// AmendKey replaces the answer remembered for a key, which spoke of the given
// job, by what its request was really answered with: it waited for the job and
// saw it end. nil forgets the answer, and the key is free again. A key that
// speaks of another job is left alone.
func (s *Store) AmendKey(ctx context.Context, k IdempotencyKey, jobID string, a *Answer) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	args := append(k.args(), jobID)
	const which = isKey + " AND done AND job_id = ?"
	if a == nil {
		_, err = s.writer.NewDelete().Model((*idempotencyRow)(nil)).Where(which, args...).Exec(ctx)
		return wrap("forget idempotency key", err)
	}
	_, err = s.writer.NewUpdate().Model((*idempotencyRow)(nil)).
		Set("status = ?, job_id = ?, transcript_id = ?", a.Status, a.JobID, a.TranscriptID).
		Where(which, args...).
		Exec(ctx)
	return wrap("amend idempotency key", err)
}

const isKey = "account = ? AND method = ? AND route = ? AND key = ?"

func (k IdempotencyKey) args() []any { return []any{k.Account, k.Method, k.Route, k.Key} }
