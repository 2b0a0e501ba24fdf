-- +goose Up

-- The accounts that are being removed, or were removed within the last day.
CREATE TABLE removals (
    account  text PRIMARY KEY,
    begun_at timestamptz NOT NULL,
    ended_at timestamptz -- NULL: rows of the account are left
);
CREATE INDEX jobs_of_account ON jobs (account, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX extractions_owned ON extractions (owner) WHERE owner <> '';
CREATE INDEX uploads_account ON uploads (account);
UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP INDEX uploads_account;
DROP INDEX extractions_owned;
DROP INDEX jobs_of_account;
DROP TABLE removals;
