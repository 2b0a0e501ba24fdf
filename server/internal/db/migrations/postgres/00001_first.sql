-- +goose Up
CREATE TABLE accounts (
    id         text PRIMARY KEY NOT NULL,
    plan       text NOT NULL,
    suspended  boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE keys (
    id           text PRIMARY KEY NOT NULL,
    account      text NOT NULL REFERENCES accounts (id),
    prefix       text NOT NULL UNIQUE,
    hash         bytea NOT NULL,
    name         text NOT NULL,
    scopes       text NOT NULL, -- JSON array
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

CREATE TABLE transcripts (
    id             text PRIMARY KEY NOT NULL,
    owner          text NOT NULL, -- '' is everybody's
    platform       text NOT NULL,
    external_id    text NOT NULL,
    lang           text NOT NULL,
    source         text NOT NULL,
    status         text NOT NULL,
    source_url     text,
    title          text,
    channel        text,
    creator_name   text,
    creator_handle text,
    creator_url    text,
    thumbnail_url  text,
    duration_sec   integer,
    duration       double precision NOT NULL, -- seconds
    published_at   timestamptz,
    metadata       text, -- JSON object
    segments       bytea NOT NULL, -- gzip of a JSON array
    words          bytea, -- gzip of a JSON array
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    UNIQUE (owner, platform, external_id, lang, source)
);

CREATE TABLE extractions (
    id          text PRIMARY KEY NOT NULL,
    owner       text NOT NULL, -- '' is everybody's
    platform    text NOT NULL,
    external_id text NOT NULL,
    languages   text NOT NULL,
    status      text NOT NULL,
    stage       text NOT NULL,
    attempt     integer NOT NULL,
    title       text NOT NULL,
    media_key   text NOT NULL,
    duration    double precision NOT NULL, -- seconds
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);

-- At most one extraction of the same content and language list runs.
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages)
    WHERE status IN ('pending', 'processing');
CREATE INDEX extractions_ended ON extractions (updated_at)
    WHERE status NOT IN ('pending', 'processing');

CREATE TABLE jobs (
    id              text PRIMARY KEY NOT NULL,
    account         text NOT NULL,
    extraction_id   text NOT NULL REFERENCES extractions (id),
    status          text NOT NULL,
    stage           text NOT NULL,
    sequence        integer NOT NULL,
    attempt         integer NOT NULL,
    progress        text, -- JSON object
    metadata_status text NOT NULL,
    error           text, -- JSON object
    transcript_id   text NOT NULL,
    format          text NOT NULL,
    omit_timestamp  boolean NOT NULL,
    send_metadata   boolean NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    ended_at        timestamptz
);

-- At most one claim of an account on an extraction runs.
CREATE UNIQUE INDEX jobs_running ON jobs (extraction_id, account)
    WHERE status IN ('pending', 'processing');
CREATE INDEX jobs_extraction ON jobs (extraction_id);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE job_events (
    job_id          text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence        integer NOT NULL,
    status          text NOT NULL,
    stage           text NOT NULL,
    attempt         integer NOT NULL,
    metadata_status text NOT NULL,
    at              timestamptz NOT NULL,
    PRIMARY KEY (job_id, sequence)
);

CREATE TABLE chunks (
    extraction_id text NOT NULL REFERENCES extractions (id) ON DELETE CASCADE,
    n             integer NOT NULL,
    start         double precision NOT NULL, -- seconds
    duration      double precision NOT NULL, -- seconds
    silent        boolean NOT NULL,
    done          boolean NOT NULL,
    media_key     text NOT NULL,
    result        bytea, -- gzip of JSON
    PRIMARY KEY (extraction_id, n)
);

CREATE TABLE idempotency_keys (
    account       text NOT NULL,
    method        text NOT NULL,
    route         text NOT NULL,
    key           text NOT NULL,
    fingerprint   bytea,
    done          boolean NOT NULL,
    status        integer NOT NULL,
    job_id        text NOT NULL,
    transcript_id text NOT NULL,
    error_json    bytea,
    taken_at      timestamptz NOT NULL,
    beat_at       timestamptz NOT NULL,
    PRIMARY KEY (account, method, route, key)
);

CREATE INDEX idempotency_keys_taken ON idempotency_keys (taken_at);

CREATE TABLE processes (
    id      text PRIMARY KEY NOT NULL,
    beat_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE processes;
DROP TABLE idempotency_keys;
DROP TABLE chunks;
DROP TABLE job_events;
DROP TABLE jobs;
DROP TABLE extractions;
DROP TABLE transcripts;
DROP TABLE keys;
DROP TABLE accounts;
