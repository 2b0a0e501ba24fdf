-- +goose Up

-- Lists of contents that are made together. A batch keeps what its items need of the
-- request: the plan's limits as they stood, and how old a stored text may be.
CREATE TABLE batches (
    id            text PRIMARY KEY NOT NULL,
    account       text NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('batch', 'playlist', 'channel')),
    languages     text NOT NULL, -- as sent; '': none were
    list_platform text NOT NULL DEFAULT '', -- of a playlist or a channel
    list_kind     text NOT NULL DEFAULT '',
    list_id       text NOT NULL DEFAULT '',
    list_url      text NOT NULL DEFAULT '',
    title         text NOT NULL DEFAULT '', -- of the list; '': not known
    max_items     integer NOT NULL, -- 0: as many as there are
    item_limit    integer NOT NULL,
    limits        text NOT NULL, -- JSON object
    cache_ttl     bigint NOT NULL, -- nanoseconds; -1: no limit
    trace         text NOT NULL DEFAULT '',
    status        text NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
    error         text, -- JSON object: why the list could not be read
    listed        boolean NOT NULL, -- all its items are known
    feeding       boolean NOT NULL, -- a step to take up items is on its way
    export_ref    text,
    export_mime   text,
    created_at    timestamp NOT NULL,
    updated_at    timestamp NOT NULL
);
CREATE INDEX batches_account ON batches (account, id);

-- An item that waits has no claim yet, or one that is named by job_id.
CREATE TABLE batch_items (
    id            text PRIMARY KEY NOT NULL,
    batch_id      text NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    position      integer NOT NULL, -- from 1
    platform      text NOT NULL,
    external_id   text NOT NULL,
    source_url    text NOT NULL DEFAULT '',
    short         boolean NOT NULL DEFAULT false, -- a short link that is still to be followed
    sound         boolean NOT NULL DEFAULT false, -- it is to be recognized
    status        text NOT NULL CHECK (status IN ('pending', 'success', 'failed', 'skipped')),
    job_id        text NOT NULL DEFAULT '',
    transcript_id text NOT NULL DEFAULT '',
    lang          text NOT NULL DEFAULT '', -- of the text
    error_code    text NOT NULL DEFAULT '',
    error_message text NOT NULL DEFAULT '',
    retryable     boolean NOT NULL DEFAULT false,
    attempts      integer NOT NULL DEFAULT 0, -- those that have ended
    updated_at    timestamp NOT NULL,
    CHECK ((status = 'failed') = (error_code <> '')),
    UNIQUE (batch_id, position)
);
CREATE INDEX batch_items_open ON batch_items (batch_id, job_id, sound) WHERE status = 'pending';
CREATE INDEX batch_items_job ON batch_items (job_id) WHERE status = 'pending' AND job_id <> '';

-- Who waits for a claim: somebody who has asked for it by itself, items of batches, or
-- both. One that only batches wait for goes after the others.
ALTER TABLE jobs ADD COLUMN asked boolean NOT NULL DEFAULT true;
ALTER TABLE jobs ADD COLUMN batched boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE jobs DROP COLUMN batched;
ALTER TABLE jobs DROP COLUMN asked;
DROP TABLE batch_items;
DROP TABLE batches;
