-- +goose Up

-- Texts stand apart, so that the rest of a transcript is read without them.
CREATE TABLE texts (
    transcript_id text PRIMARY KEY NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
    segments      blob NOT NULL, -- gzip of a JSON array
    words         blob -- gzip of a JSON array
);
INSERT INTO texts (transcript_id, segments, words) SELECT id, segments, words FROM transcripts;
ALTER TABLE transcripts DROP COLUMN segments;
ALTER TABLE transcripts DROP COLUMN words;
ALTER TABLE transcripts ADD COLUMN word_count integer NOT NULL DEFAULT 0; -- 00011 counts

-- What an account sees in its library: texts that it has saved, work on its way,
-- work that has failed, and batches, whose id is the external one.
CREATE TABLE library_rows (
    id             text PRIMARY KEY NOT NULL,
    account        text NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('transcript', 'pending', 'failed', 'batch')),
    platform       text NOT NULL,
    external_id    text NOT NULL,
    lang           text NOT NULL, -- of the text; before there is one, the first that was asked for
    languages      text NOT NULL DEFAULT '', -- the list that was sent, of pending and failed
    job_id         text,
    transcript_id  text REFERENCES transcripts (id),
    error_code     text,
    folded_title   text NOT NULL DEFAULT '', -- for search and order; '': there is none
    folded_channel text NOT NULL DEFAULT '',
    starred        boolean NOT NULL,
    created_at     timestamp NOT NULL,
    updated_at     timestamp NOT NULL,
    CHECK ((kind = 'transcript') = (transcript_id IS NOT NULL)),
    CHECK ((kind = 'failed') = (error_code IS NOT NULL)),
    CHECK (kind <> 'pending' OR job_id IS NOT NULL)
);
INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, starred, created_at, updated_at)
    SELECT id, account, 'transcript', platform, external_id, lang, transcript_id, starred, created_at, updated_at FROM library;
DROP TABLE library;

CREATE UNIQUE INDEX library_rows_text ON library_rows (account, platform, external_id, lang) WHERE kind = 'transcript';
CREATE UNIQUE INDEX library_rows_open ON library_rows (account, platform, external_id, languages) WHERE kind <> 'transcript';
CREATE INDEX library_rows_transcript ON library_rows (transcript_id);
CREATE INDEX library_rows_recent ON library_rows (account, created_at, id);
CREATE INDEX library_rows_title ON library_rows (account, (folded_title = ''), folded_title, id); -- those without come last

-- +goose Down
CREATE TABLE library (
    id            text PRIMARY KEY NOT NULL,
    account       text NOT NULL,
    platform      text NOT NULL,
    external_id   text NOT NULL,
    lang          text NOT NULL,
    transcript_id text NOT NULL REFERENCES transcripts (id),
    starred       boolean NOT NULL,
    created_at    timestamp NOT NULL,
    updated_at    timestamp NOT NULL,
    UNIQUE (account, platform, external_id, lang)
);
CREATE INDEX library_transcript ON library (transcript_id);
INSERT INTO library SELECT id, account, platform, external_id, lang, transcript_id, starred, created_at, updated_at
    FROM library_rows WHERE kind = 'transcript';
DROP TABLE library_rows;

ALTER TABLE transcripts DROP COLUMN word_count;
ALTER TABLE transcripts ADD COLUMN segments blob NOT NULL DEFAULT x'';
ALTER TABLE transcripts ADD COLUMN words blob;
UPDATE transcripts SET (segments, words) = (SELECT segments, words FROM texts WHERE transcript_id = transcripts.id);
DROP TABLE texts;
