-- +goose Up
-- Readers also ask what there is on the video site: the question as JSON; empty where
-- the captions of a content are asked for.
ALTER TABLE lookups ADD COLUMN question text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE lookups DROP COLUMN question;
