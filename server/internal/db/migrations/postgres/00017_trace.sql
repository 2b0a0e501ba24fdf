-- +goose Up

-- By what a tracer knows the request that a claim comes from; empty: it is not traced.
ALTER TABLE jobs ADD COLUMN trace text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE jobs DROP COLUMN trace;
