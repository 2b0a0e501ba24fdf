-- +goose Up

-- For the removal of what was said long ago.
CREATE INDEX contents_asked ON contents (asked_at);

-- +goose Down
DROP INDEX contents_asked;
