-- +goose Up

-- What was measured last of the service as a whole, for metrics.
CREATE TABLE measures (
    name        text PRIMARY KEY NOT NULL,
    value       integer NOT NULL,
    measured_at timestamp NOT NULL
);

ALTER TABLE extractions ADD COLUMN moved_at timestamp; -- to its stage; NULL where it is not known
UPDATE extractions SET moved_at = updated_at;

-- +goose Down
ALTER TABLE extractions DROP COLUMN moved_at;
DROP TABLE measures;
