-- +goose Up
-- Nothing: the one process that serves the file counts requests in memory.
SELECT 1;

-- +goose Down
SELECT 1;
