-- +goose Up

-- Finds the batches that have not ended, however many have.
CREATE INDEX batches_running ON batches (id) WHERE status IN ('pending', 'processing');

-- +goose Down
DROP INDEX batches_running;
