-- +goose Up
ALTER TABLE extractions ADD COLUMN tried text NOT NULL DEFAULT '[]'; -- JSON array: caption sources passed over

-- +goose Down
ALTER TABLE extractions DROP COLUMN tried;
