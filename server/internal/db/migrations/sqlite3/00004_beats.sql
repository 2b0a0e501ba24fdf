-- +goose Up
ALTER TABLE processes ADD COLUMN beats integer NOT NULL DEFAULT 0; -- since it joined

-- +goose Down
ALTER TABLE processes DROP COLUMN beats;
