-- +goose Up

-- The turn that the claim's account shares with others; '': it has one of its own.
ALTER TABLE jobs ADD COLUMN turn text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE jobs DROP COLUMN turn;
