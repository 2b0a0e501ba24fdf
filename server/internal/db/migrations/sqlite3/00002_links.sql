-- +goose Up

-- What a platform says about a content, with its caption tracks.
CREATE TABLE contents (
    platform    text NOT NULL,
    external_id text NOT NULL,
    metadata    text NOT NULL, -- JSON object
    tracks      text NOT NULL, -- JSON array
    asked_at    timestamp NOT NULL,
    PRIMARY KEY (platform, external_id)
) WITHOUT ROWID;

-- What an account has saved, and where the text is.
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

ALTER TABLE extractions ADD COLUMN source_url text NOT NULL DEFAULT '';
ALTER TABLE extractions ADD COLUMN metadata text NOT NULL DEFAULT '{}'; -- JSON object
ALTER TABLE extractions ADD COLUMN waiting_since timestamp; -- for a platform that blocks
UPDATE extractions SET metadata = json_object('title', title) WHERE title <> '';
ALTER TABLE extractions DROP COLUMN title;

ALTER TABLE jobs ADD COLUMN asr boolean NOT NULL DEFAULT TRUE; -- the plan permits recognition
ALTER TABLE jobs ADD COLUMN cached boolean NOT NULL DEFAULT FALSE;
ALTER TABLE jobs ADD COLUMN stale boolean NOT NULL DEFAULT FALSE;

ALTER TABLE idempotency_keys DROP COLUMN error_json;

-- +goose Down
ALTER TABLE idempotency_keys ADD COLUMN error_json blob;
ALTER TABLE jobs DROP COLUMN stale;
ALTER TABLE jobs DROP COLUMN cached;
ALTER TABLE jobs DROP COLUMN asr;
ALTER TABLE extractions ADD COLUMN title text NOT NULL DEFAULT '';
UPDATE extractions SET title = coalesce(json_extract(metadata, '$.title'), '');
ALTER TABLE extractions DROP COLUMN waiting_since;
ALTER TABLE extractions DROP COLUMN metadata;
ALTER TABLE extractions DROP COLUMN source_url;
DROP TABLE library;
DROP TABLE contents;
