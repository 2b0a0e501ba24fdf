-- +goose Up

-- Names and words that are likely to be said in what an account uploads; '' where none are known.
ALTER TABLE accounts ADD COLUMN prompt text NOT NULL DEFAULT '';
ALTER TABLE extractions ADD COLUMN prompt text NOT NULL DEFAULT ''; -- of its account, when the upload was accepted
ALTER TABLE transcripts ADD COLUMN prompt_sum text NOT NULL DEFAULT ''; -- SHA-256 of that which it was heard with, in hex

-- At most one extraction of the same content, language list and prompt runs.
DROP INDEX extractions_running;
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages, prompt)
    WHERE status IN ('pending', 'processing');

-- +goose Down
DROP INDEX extractions_running;
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages)
    WHERE status IN ('pending', 'processing');
ALTER TABLE transcripts DROP COLUMN prompt_sum;
ALTER TABLE extractions DROP COLUMN prompt;
ALTER TABLE accounts DROP COLUMN prompt;
