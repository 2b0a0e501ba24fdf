-- +goose Up
-- What the answer to a remembered request speaks of; both empty until one is recorded.
ALTER TABLE idempotency_keys ADD COLUMN answer_kind text NOT NULL DEFAULT ''; -- job, outcome, transcript
ALTER TABLE idempotency_keys ADD COLUMN answer_id text NOT NULL DEFAULT '';
UPDATE idempotency_keys SET
    answer_kind = CASE WHEN status = 202 THEN 'job' WHEN job_id <> '' THEN 'outcome' ELSE 'transcript' END,
    answer_id = CASE WHEN job_id <> '' THEN job_id ELSE transcript_id END
    WHERE status <> 0;
ALTER TABLE idempotency_keys DROP COLUMN status;
ALTER TABLE idempotency_keys DROP COLUMN job_id;
ALTER TABLE idempotency_keys DROP COLUMN transcript_id;

-- +goose Down
ALTER TABLE idempotency_keys ADD COLUMN status integer NOT NULL DEFAULT 0;
ALTER TABLE idempotency_keys ADD COLUMN job_id text NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN transcript_id text NOT NULL DEFAULT '';
UPDATE idempotency_keys SET
    status = CASE answer_kind WHEN 'job' THEN 202 ELSE 200 END,
    job_id = CASE answer_kind WHEN 'transcript' THEN '' ELSE answer_id END,
    transcript_id = CASE answer_kind WHEN 'transcript' THEN answer_id ELSE '' END
    WHERE answer_kind <> '';
ALTER TABLE idempotency_keys DROP COLUMN answer_kind;
ALTER TABLE idempotency_keys DROP COLUMN answer_id;
