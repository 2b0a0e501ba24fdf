-- +goose Up

-- What the answer to a remembered request says that cannot be read again, as a JSON
-- text; '' where there is nothing of the kind.
ALTER TABLE idempotency_keys ADD COLUMN answer_note text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE idempotency_keys DROP COLUMN answer_note;
