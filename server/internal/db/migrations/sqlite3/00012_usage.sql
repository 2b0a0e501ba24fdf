-- +goose Up

-- What an account has used of its allowances in each period, and what is set aside
-- for its running claims. Past periods are kept.
CREATE TABLE usage (
    account              text NOT NULL,
    period               text NOT NULL, -- the day on which it began, as in 2026-11-01
    used_transcripts     bigint NOT NULL DEFAULT 0 CHECK (used_transcripts >= 0),
    used_minutes         bigint NOT NULL DEFAULT 0 CHECK (used_minutes >= 0),
    reserved_transcripts bigint NOT NULL DEFAULT 0 CHECK (reserved_transcripts >= 0),
    reserved_minutes     bigint NOT NULL DEFAULT 0 CHECK (reserved_minutes >= 0),
    PRIMARY KEY (account, period)
);

-- What of it is set aside for a claim.
ALTER TABLE jobs ADD COLUMN held_transcripts bigint NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN held_minutes bigint NOT NULL DEFAULT 0;

-- The claims that run were accepted without limits, and keep none. They count in the
-- month in which this is done.
UPDATE jobs SET
    limits = CASE WHEN limits LIKE '%"asr":true%' THEN '{"asr":true,' ELSE '{' END
        || '"maxDuration":-1,"period":"' || strftime('%Y-%m-01', 'now') || 'T00:00:00Z",'
        || '"transcripts":-1,"asrMinutes":-1,"asrConcurrency":-1,"asrWaiting":-1}',
    held_transcripts = 1
    WHERE status IN ('pending', 'processing') AND limits NOT LIKE '%"maxDuration"%';
INSERT INTO usage (account, period, reserved_transcripts)
    SELECT account, strftime('%Y-%m-01', 'now'), count(*) FROM jobs WHERE held_transcripts = 1 GROUP BY account;

-- +goose Down
ALTER TABLE jobs DROP COLUMN held_minutes;
ALTER TABLE jobs DROP COLUMN held_transcripts;
DROP TABLE usage;
