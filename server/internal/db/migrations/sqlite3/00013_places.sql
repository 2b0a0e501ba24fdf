-- +goose Up

-- Who is on the way to be recognized. A row belongs to the account of one claim on the
-- extraction; while it is outside, to nobody: no claim's account has a place.
CREATE TABLE asr_places (
    extraction_id text PRIMARY KEY NOT NULL REFERENCES extractions (id) ON DELETE CASCADE,
    state         text NOT NULL CHECK (state IN ('outside', 'waiting', 'ready', 'running')),
    job_id        text UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
    account       text,
    CHECK ((state = 'outside') = (job_id IS NULL)),
    CHECK ((state = 'outside') = (account IS NULL))
);
CREATE INDEX asr_places_account ON asr_places (account, state, job_id) WHERE account IS NOT NULL;

-- Finds the oldest claim of an account that is outside, however many others are.
CREATE INDEX jobs_account ON jobs (account, id) WHERE status IN ('pending', 'processing');

-- What is being recognized already goes on to its end.
INSERT INTO asr_places (extraction_id, state, job_id, account)
    SELECT extraction_id, 'running', id, account FROM jobs AS j
    WHERE status IN ('pending', 'processing') AND stage IN ('asr_queued', 'asr_running', 'publishing')
        AND NOT EXISTS (SELECT 1 FROM jobs AS older WHERE older.extraction_id = j.extraction_id
            AND older.status IN ('pending', 'processing') AND older.id < j.id);

-- +goose Down
DROP INDEX jobs_account;
DROP TABLE asr_places;
