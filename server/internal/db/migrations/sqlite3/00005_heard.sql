-- +goose Up
ALTER TABLE chunks ADD COLUMN media_sha256 blob; -- of the blob; NULL where it is not known
ALTER TABLE chunks ADD COLUMN recognizer text; -- JSON object: who heard it; NULL until it is done

-- +goose Down
ALTER TABLE chunks DROP COLUMN recognizer;
ALTER TABLE chunks DROP COLUMN media_sha256;
