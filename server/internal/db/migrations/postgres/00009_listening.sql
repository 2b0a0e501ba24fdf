-- +goose Up

-- How the sound is heard, where the account wants it in its own way. Another way is other work.
ALTER TABLE extractions ADD COLUMN listening text NOT NULL DEFAULT '{}'; -- JSON object
DROP INDEX extractions_running;
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages, md5(prompt), listening)
    WHERE status IN ('pending', 'processing');

-- The channel of a recording whose channels are recognized by themselves, from 1; else 0.
ALTER TABLE chunks ADD COLUMN channel integer NOT NULL DEFAULT 0;

-- What is known of the sound before it is recognized: where speech is, and whose.
CREATE TABLE sounds (
    extraction_id text PRIMARY KEY NOT NULL REFERENCES extractions (id) ON DELETE CASCADE,
    facts         bytea NOT NULL -- gzip of JSON
);

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TABLE sounds;
ALTER TABLE chunks DROP COLUMN channel;
DROP INDEX extractions_running;
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages, md5(prompt))
    WHERE status IN ('pending', 'processing');
ALTER TABLE extractions DROP COLUMN listening;
