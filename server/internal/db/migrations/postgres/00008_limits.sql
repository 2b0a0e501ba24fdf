-- +goose Up

-- What the plan permits under which a claim was accepted: a JSON object.
ALTER TABLE jobs ADD COLUMN limits text NOT NULL DEFAULT '{}';
UPDATE jobs SET limits = '{"asr":true}' WHERE asr;
ALTER TABLE jobs DROP COLUMN asr;

-- +goose Down
ALTER TABLE jobs ADD COLUMN asr boolean NOT NULL DEFAULT FALSE; -- the plan permits recognition
UPDATE jobs SET asr = TRUE WHERE limits LIKE '%"asr":true%';
ALTER TABLE jobs DROP COLUMN limits;
