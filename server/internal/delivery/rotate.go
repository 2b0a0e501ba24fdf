package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Rotate gives an endpoint of the account new keys. The previous keys also sign for
// webhook.RotationOverlap. Older keys no longer sign. The error is NOT_FOUND as for Get.
func (s *Store) Rotate(ctx context.Context, account, id string, key *db.HeldKey) (*webhook.Rotated, error) {
	signs := webhooksign.NewKey()
	var e *endpoint
	err := s.onEndpoint(ctx, account, id, func(ctx context.Context, tx *db.Tx, locked *endpoint) error {
		e = locked
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		e.PreviousKey, e.PreviousUntil = e.SigningKey, new(sqldb.Moment(now.Add(webhook.RotationOverlap)))
		e.SigningKey, e.UpdatedAt = signs.Bytes(), sqldb.Moment(now)
		if err := save(ctx, tx, e); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, answerWith(e, signs), true)
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: rotating the keys of a webhook: %w", known(err))
	}
	return rotated(e, signs), nil
}

func rotated(e *endpoint, k webhooksign.Key) *webhook.Rotated {
	return &webhook.Rotated{Secret: webhook.NewSecret(k.Secret()), PublicKey: k.Public(), PreviousUntil: transcript.At(*e.PreviousUntil)}
}

// Answer is the kind of answers that return an endpoint with its secret.
const Answer db.AnswerKind = "webhook"

// answerWith is the answer that returns a secret. The note identifies the secret without
// revealing it.
func answerWith(e *endpoint, k webhooksign.Key) db.Answer {
	return db.Answer{Kind: Answer, ID: e.ID, Note: mark(k)}
}

// mark identifies a key.
func mark(k webhooksign.Key) string {
	sum := sha256.Sum256(k.Bytes())
	return hex.EncodeToString(sum[:8])
}

// Created repeats the answer of Create. The error is STATE_CONFLICT if the endpoint has
// another secret now. The error is NOT_FOUND as for Get.
func (s *Store) Created(ctx context.Context, account string, a db.Answer) (*webhook.Created, error) {
	e, k, err := s.answered(ctx, account, a)
	if err != nil {
		return nil, err
	}
	return s.created(e, k)
}

// Rotated repeats the answer of Rotate. The errors are those of Created.
func (s *Store) Rotated(ctx context.Context, account string, a db.Answer) (*webhook.Rotated, error) {
	e, k, err := s.answered(ctx, account, a)
	if err != nil {
		return nil, err
	}
	if e.PreviousUntil == nil {
		return nil, secretGone()
	}
	return rotated(e, k), nil
}

func (s *Store) answered(ctx context.Context, account string, a db.Answer) (*endpoint, webhooksign.Key, error) {
	e, err := s.owned(ctx, account, a.ID)
	if err != nil {
		return nil, webhooksign.Key{}, known(err)
	}
	k, err := webhooksign.ParseKey(e.SigningKey)
	if err == nil && mark(k) != a.Note {
		err = secretGone()
	}
	return e, k, err
}

func secretGone() error {
	err := transcript.Errorf(transcript.StateConflict, "The secret that this request was answered with is no longer the newest.")
	err.Cure = "Rotate the secret to get a new one."
	return err
}
