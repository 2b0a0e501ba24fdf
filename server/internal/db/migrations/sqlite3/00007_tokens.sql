-- +goose Up
ALTER TABLE idempotency_keys ADD COLUMN token text NOT NULL DEFAULT ''; -- of the request that holds the key

-- +goose Down
ALTER TABLE idempotency_keys DROP COLUMN token;
