-- +goose Up

-- Accounts and their keys.
CREATE TABLE accounts (
    id         text PRIMARY KEY,
    plan       text NOT NULL,
    suspended  boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    prompt     text NOT NULL DEFAULT ''
);

CREATE TABLE keys (
    id           text PRIMARY KEY,
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
CREATE INDEX keys_account ON keys (account, created_at, id);

-- Transcripts: what is said of each text. The texts themselves stand in texts.
CREATE TABLE transcripts (
    id             text PRIMARY KEY,
    owner          text NOT NULL, -- '': all accounts share the row
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
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    word_count     integer NOT NULL DEFAULT 0,
    prompt_sum     text NOT NULL DEFAULT '',
    edited         boolean NOT NULL DEFAULT false, -- a copy that the owner has corrected; no cache reads it
    UNIQUE (owner, platform, external_id, lang, source, edited)
);

-- The work on one content, and the claims of accounts on the work.
CREATE TABLE extractions (
    id            text PRIMARY KEY,
    owner         text NOT NULL, -- '': all accounts share the row
    platform      text NOT NULL,
    external_id   text NOT NULL,
    languages     text NOT NULL,
    status        text NOT NULL,
    stage         text NOT NULL,
    attempt       integer NOT NULL,
    media_key     text NOT NULL,
    duration      double precision NOT NULL, -- seconds
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    source_url    text NOT NULL DEFAULT '',
    metadata      text NOT NULL DEFAULT '{}', -- JSON object
    waiting_since timestamptz,
    tried         text NOT NULL DEFAULT '[]', -- JSON array
    moved_at      timestamptz,
    last_error    jsonb,
    prompt        text NOT NULL DEFAULT '',
    media_type    text NOT NULL DEFAULT '', -- of an upload that is kept
    media_bytes   bigint NOT NULL DEFAULT 0,
    keep_media    bigint NOT NULL DEFAULT 0 -- seconds for which the account wants the upload kept; 0: it does not
);
CREATE INDEX extractions_ended ON extractions (updated_at) WHERE status NOT IN ('pending', 'processing');
CREATE INDEX extractions_running_id ON extractions (id) WHERE status IN ('pending', 'processing');
CREATE UNIQUE INDEX extractions_running ON extractions (owner, platform, external_id, languages, md5(prompt))
    WHERE status IN ('pending', 'processing');

CREATE TABLE jobs (
    id               text PRIMARY KEY,
    account          text NOT NULL,
    extraction_id    text NOT NULL REFERENCES extractions (id),
    status           text NOT NULL,
    stage            text NOT NULL,
    sequence         integer NOT NULL,
    attempt          integer NOT NULL,
    progress         text, -- JSON object
    metadata_status  text NOT NULL,
    error            text, -- JSON object
    last_error       jsonb,
    transcript_id    text NOT NULL,
    format           text NOT NULL,
    omit_timestamp   boolean NOT NULL,
    send_metadata    boolean NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    cached           boolean NOT NULL DEFAULT FALSE,
    stale            boolean NOT NULL DEFAULT FALSE,
    limits           text NOT NULL DEFAULT '{}', -- JSON object
    reserved_transcripts bigint NOT NULL DEFAULT 0,
    reserved_minutes     bigint NOT NULL DEFAULT 0,
    trace            text NOT NULL DEFAULT '', -- '': the request is not traced
    asked            boolean NOT NULL DEFAULT true,
    batched          boolean NOT NULL DEFAULT false,
    turn             text NOT NULL DEFAULT '' -- the turn that the account shares with others; '': its own
);
CREATE UNIQUE INDEX jobs_running ON jobs (extraction_id, account) WHERE status IN ('pending', 'processing');
CREATE INDEX jobs_extraction ON jobs (extraction_id);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account, asked DESC, id) WHERE status IN ('pending', 'processing');

CREATE TABLE job_events (
    job_id          text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence        integer NOT NULL,
    status          text NOT NULL,
    stage           text NOT NULL,
    attempt         integer NOT NULL,
    metadata_status text NOT NULL,
    last_error      jsonb,
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
    media_sha256  bytea,
    recognizer    text,
    PRIMARY KEY (extraction_id, n)
);

-- Idempotency keys, and what their requests were answered.
CREATE TABLE idempotency_keys (
    account     text NOT NULL,
    method      text NOT NULL,
    route       text NOT NULL,
    key         text NOT NULL,
    fingerprint bytea,
    done        boolean NOT NULL,
    taken_at    timestamptz NOT NULL,
    beat_at     timestamptz NOT NULL,
    token       text NOT NULL DEFAULT '',
    answer_kind text NOT NULL DEFAULT '',
    answer_id   text NOT NULL DEFAULT '',
    answer_note text NOT NULL DEFAULT '',
    PRIMARY KEY (account, method, route, key)
);
CREATE INDEX idempotency_keys_taken ON idempotency_keys (taken_at);

-- Files that arrive in several requests. An upload without a request for a day is removed.
CREATE TABLE uploads (
    id          text PRIMARY KEY,
    account     text NOT NULL,
    received    bigint NOT NULL, -- bytes
    length      bigint, -- bytes of the whole file; NULL: not known yet
    sum         bytea NOT NULL, -- the state of the SHA-256 of what has arrived
    digest      bytea, -- the SHA-256 that the sender has announced
    turn        bigint NOT NULL, -- of the request that may append
    complete    boolean NOT NULL,
    wishes      text NOT NULL, -- the query of the request that began the upload
    name        text NOT NULL, -- of the file
    answer_kind text NOT NULL DEFAULT '',
    answer_id   text NOT NULL DEFAULT '',
    answer_note text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL -- the last request
);
CREATE INDEX uploads_unanswered ON uploads (account) WHERE answer_kind = '';
CREATE INDEX uploads_seen ON uploads (seen_at);

-- The processes that work on the queue.
CREATE TABLE processes (
    id        text PRIMARY KEY,
    beat_at   timestamptz NOT NULL,
    beats     bigint NOT NULL DEFAULT 0,
    abilities text -- JSON object
);

-- What platforms have said of contents.
CREATE TABLE contents (
    platform    text NOT NULL,
    external_id text NOT NULL,
    metadata    text NOT NULL, -- JSON object
    tracks      text NOT NULL, -- JSON array
    asked_at    timestamptz NOT NULL,
    PRIMARY KEY (platform, external_id)
);
CREATE INDEX contents_asked ON contents (asked_at);

CREATE TABLE texts (
    transcript_id text PRIMARY KEY REFERENCES transcripts (id) ON DELETE CASCADE,
    segments      bytea NOT NULL, -- gzip of a JSON array
    words         bytea -- gzip of a JSON array
);

-- The libraries of accounts.
CREATE TABLE library_rows (
    id             text PRIMARY KEY,
    account        text NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('transcript', 'pending', 'failed', 'batch')),
    platform       text NOT NULL,
    external_id    text NOT NULL,
    lang           text NOT NULL, -- of the text; before there is a text, the first language of the request
    languages      text NOT NULL DEFAULT '', -- the list of the request, of pending and failed rows
    job_id         text,
    transcript_id  text REFERENCES transcripts (id),
    error_code     text,
    folded_title   text COLLATE "C" NOT NULL DEFAULT '', -- for search and order; '': there is no title
    folded_channel text COLLATE "C" NOT NULL DEFAULT '',
    starred        boolean NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    source_url     text NOT NULL DEFAULT '',
    metadata       text NOT NULL DEFAULT '{}',
    creator        text COLLATE "C" NOT NULL DEFAULT '',
    volume         bigint, -- of the index of words that has the text; NULL: none has
    revision       integer NOT NULL DEFAULT 1, -- grows with each other text
    edited         boolean NOT NULL DEFAULT false, -- the text is a copy of the account's own
    CHECK ((kind = 'transcript') = (transcript_id IS NOT NULL)),
    CHECK ((kind = 'failed') = (error_code IS NOT NULL)),
    CHECK (kind <> 'pending' OR job_id IS NOT NULL)
);
CREATE UNIQUE INDEX library_rows_text ON library_rows (account, platform, external_id, lang)
    WHERE kind = 'transcript';
CREATE UNIQUE INDEX library_rows_open ON library_rows (account, platform, external_id, languages)
    WHERE kind <> 'transcript';
CREATE INDEX library_rows_transcript ON library_rows (transcript_id);
CREATE INDEX library_rows_recent ON library_rows (account, created_at, id) INCLUDE (kind, platform, lang, starred, folded_title, folded_channel);
CREATE INDEX library_rows_title ON library_rows (account, (folded_title = ''), folded_title, id) INCLUDE (kind, platform, lang, starred, folded_channel);
CREATE INDEX library_rows_lang ON library_rows (account, lang) WHERE kind = 'transcript';
CREATE INDEX library_rows_batch ON library_rows (account, created_at, id) WHERE kind = 'batch';
CREATE INDEX library_rows_creator ON library_rows (account, platform, creator, created_at, id)
    WHERE kind = 'transcript';
CREATE INDEX library_rows_search ON library_rows (account, transcript_id, platform, lang, created_at, id)
    WHERE kind = 'transcript' AND volume IS NULL;

-- The texts that corrected rows of libraries have had.
CREATE TABLE revisions (
    row_id   text NOT NULL REFERENCES library_rows (id) ON DELETE CASCADE,
    number   integer NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('original', 'edit', 'import', 'restore')),
    source   text NOT NULL, -- of the text
    lines    integer NOT NULL, -- of the text
    changed  integer NOT NULL, -- lines that differ from the revision before
    segments bytea NOT NULL, -- gzip of a JSON array
    words    bytea, -- gzip of a JSON array
    made_at  timestamptz NOT NULL,
    PRIMARY KEY (row_id, number)
);

-- The recordings of uploads that accounts keep. The files are blobs.
CREATE TABLE recordings (
    account      text NOT NULL,
    external_id  text NOT NULL, -- of the upload
    media_key    text COLLATE "C" NOT NULL UNIQUE,
    content_type text NOT NULL,
    title        text NOT NULL, -- for the name of the file; '': it has none
    bytes        bigint NOT NULL,
    copy_key     text NOT NULL DEFAULT '', -- of the copy for playing; '': there is none
    copy_bytes   bigint NOT NULL DEFAULT 0,
    until        timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (account, external_id)
);
CREATE INDEX recordings_until ON recordings (until);
CREATE INDEX recordings_copy ON recordings (copy_key) WHERE copy_key <> '';

-- What accounts have used of their allowances, by period.
CREATE TABLE usage (
    account              text NOT NULL,
    period               text NOT NULL, -- the first day of the period, such as 2026-11-01
    used_transcripts     bigint NOT NULL DEFAULT 0 CHECK (used_transcripts >= 0),
    used_minutes         bigint NOT NULL DEFAULT 0 CHECK (used_minutes >= 0),
    reserved_transcripts bigint NOT NULL DEFAULT 0 CHECK (reserved_transcripts >= 0),
    reserved_minutes     bigint NOT NULL DEFAULT 0 CHECK (reserved_minutes >= 0),
    PRIMARY KEY (account, period)
);

-- The private addresses of the feeds of new texts.
CREATE TABLE text_feeds (
    account    text PRIMARY KEY NOT NULL,
    id         text NOT NULL, -- of the feed; a new address does not change it
    hash       text NOT NULL UNIQUE, -- SHA-256 of the token in the address, in hexadecimal digits
    created_at timestamptz NOT NULL -- of the address
);

-- The links that show single texts to everybody who has the link.
CREATE TABLE shares (
    id         text PRIMARY KEY,
    account    text NOT NULL,
    row_id     text NOT NULL REFERENCES library_rows (id) ON DELETE CASCADE,
    hash       text NOT NULL UNIQUE, -- SHA-256 of the token in the link, in hexadecimal digits
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX shares_row ON shares (row_id);
CREATE INDEX shares_account ON shares (account, expires_at);
CREATE INDEX shares_expired ON shares (expires_at);

-- The extractions on the way to speech recognition.
CREATE TABLE asr_places (
    extraction_id text PRIMARY KEY REFERENCES extractions (id) ON DELETE CASCADE,
    state         text NOT NULL CHECK (state IN ('outside', 'waiting', 'ready', 'running')),
    job_id        text UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
    account       text,
    CHECK ((state = 'outside') = (job_id IS NULL)),
    CHECK ((state = 'outside') = (account IS NULL))
);
CREATE INDEX asr_places_account ON asr_places (account, state, job_id) WHERE account IS NOT NULL;

-- Questions of readers to a platform.
CREATE TABLE lookups (
    id          text PRIMARY KEY,
    platform    text NOT NULL,
    external_id text NOT NULL,
    languages   text NOT NULL,
    source_url  text NOT NULL,
    answer      text, -- JSON object: the best answer so far
    asked_at    timestamptz NOT NULL,
    ended_at    timestamptz, -- NULL while the answer may still become better
    question    text NOT NULL DEFAULT '' -- JSON object of a question about discovery; '': the captions of a content
);
CREATE UNIQUE INDEX lookups_running ON lookups (platform, external_id, languages) WHERE ended_at IS NULL;
CREATE INDEX lookups_asked ON lookups (asked_at);

-- Numbers that are measured now and then.
CREATE TABLE measures (
    name        text PRIMARY KEY,
    value       bigint NOT NULL,
    measured_at timestamptz NOT NULL
);

-- Batches and their items.
CREATE TABLE batches (
    id            text PRIMARY KEY,
    account       text NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('batch', 'playlist', 'channel')),
    languages     text NOT NULL, -- as sent; '': the request had none
    list_platform text NOT NULL DEFAULT '', -- of a playlist or a channel
    list_kind     text NOT NULL DEFAULT '',
    list_id       text NOT NULL DEFAULT '',
    list_url      text NOT NULL DEFAULT '',
    title         text NOT NULL DEFAULT '', -- of the list; '': not known
    max_items     integer NOT NULL, -- 0: all
    item_limit    integer NOT NULL,
    limits        text NOT NULL, -- JSON object
    cache_ttl     bigint NOT NULL, -- nanoseconds; -1: no limit
    trace         text NOT NULL DEFAULT '',
    status        text NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
    error         text, -- JSON object: why the list could not be read
    last_error    jsonb, -- why the list is read again
    listed        boolean NOT NULL, -- all items are known
    feeding       boolean NOT NULL, -- a step that takes up items is in the queue
    export_ref    text,
    export_mime   text,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX batches_account ON batches (account, id);
CREATE INDEX batches_running ON batches (id) WHERE status IN ('pending', 'processing');

CREATE TABLE batch_items (
    id            text PRIMARY KEY,
    batch_id      text NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    position      integer NOT NULL, -- from 1
    platform      text NOT NULL,
    external_id   text NOT NULL,
    source_url    text NOT NULL DEFAULT '',
    short         boolean NOT NULL DEFAULT false, -- a short link that was not followed yet
    sound         boolean NOT NULL DEFAULT false, -- the item needs recognition
    status        text NOT NULL CHECK (status IN ('pending', 'success', 'failed', 'skipped')),
    job_id        text NOT NULL DEFAULT '',
    transcript_id text NOT NULL DEFAULT '',
    lang          text NOT NULL DEFAULT '', -- of the text
    error_code    text NOT NULL DEFAULT '',
    error_message text NOT NULL DEFAULT '',
    retryable     boolean NOT NULL DEFAULT false,
    attempts      integer NOT NULL DEFAULT 0, -- attempts that have ended
    updated_at    timestamptz NOT NULL,
    CHECK ((status = 'failed') = (error_code <> '')),
    UNIQUE (batch_id, position)
);
CREATE INDEX batch_items_open ON batch_items (batch_id, job_id, sound) WHERE status = 'pending';
CREATE INDEX batch_items_job ON batch_items (job_id) WHERE status = 'pending' AND job_id <> '';

-- The index of each text by words, while some account has the text in no volume.
CREATE TABLE search_blocks (
    transcript_id text NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
    first_word    text COLLATE "C" NOT NULL, -- the least word of the block; '' in the first block
    words         bytea NOT NULL, -- in order, with their counts
    places        bytea NOT NULL, -- of the words, one after the other
    PRIMARY KEY (transcript_id, first_word)
);

-- The indexes of many texts of one account: see package wordindex.
CREATE TABLE search_volumes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    text NOT NULL,
    state      text NOT NULL, -- building, searched or replaced
    level      integer NOT NULL, -- how often its texts have moved to another volume
    texts      integer NOT NULL,
    gone       integer NOT NULL DEFAULT 0, -- how many of the texts are in the volume no more
    size       bigint NOT NULL, -- bytes of the blocks
    written_at timestamptz NOT NULL -- when blocks were last written
);
CREATE INDEX search_volumes_account ON search_volumes (account, id);
CREATE TABLE search_volume_texts (
    volume  bigint PRIMARY KEY REFERENCES search_volumes (id) ON DELETE CASCADE,
    entries bytea NOT NULL -- of each text, what a search orders and filters by
);
CREATE TABLE search_volume_blocks (
    volume     bigint NOT NULL REFERENCES search_volumes (id) ON DELETE CASCADE,
    first_word text COLLATE "C" NOT NULL,
    words      bytea NOT NULL,
    places     bytea NOT NULL,
    PRIMARY KEY (volume, first_word)
);
-- The bytes are dense: compression would only take time.
ALTER TABLE search_blocks ALTER words SET STORAGE EXTERNAL, ALTER places SET STORAGE EXTERNAL;
ALTER TABLE search_volume_texts ALTER entries SET STORAGE EXTERNAL;
-- Only the places of a volume's block are kept apart from the block's row.
ALTER TABLE search_volume_blocks ALTER words SET STORAGE PLAIN, ALTER places SET STORAGE EXTERNAL;

-- The hooks that some process has.
CREATE TABLE hooks (
    name   text PRIMARY KEY,
    set_at timestamptz NOT NULL -- when a process with the hook last said so
);

-- The speakers of a recording that is being recognized.
CREATE TABLE speakers (
    extraction_id text NOT NULL REFERENCES extractions (id) ON DELETE CASCADE,
    name          text NOT NULL,
    spoken        double precision NOT NULL, -- seconds
    clip          bytea, -- a WAV of a few seconds with this speaker alone; NULL: none was found yet
    PRIMARY KEY (extraction_id, name)
);

-- The virtual finish times of accounts in the queues, in milliseconds: see fairness.go.
CREATE TABLE fair_shares (
    queue    text NOT NULL,
    priority integer NOT NULL,
    turn     text NOT NULL,
    finish   bigint NOT NULL,
    PRIMARY KEY (queue, priority, turn)
);
CREATE INDEX fair_shares_last ON fair_shares (queue, priority, finish);

-- The requests of each account in a window of time. The windows of a server that
-- crashes start again.
CREATE UNLOGGED TABLE rate_windows (
    account  text NOT NULL,
    class    text NOT NULL,
    seconds  bigint NOT NULL, -- the length of the window
    began    bigint NOT NULL, -- Unix time in seconds
    requests bigint NOT NULL,
    PRIMARY KEY (account, class, seconds)
);

-- What accounts follow. All follows of an address share its row, and its entries.
CREATE TABLE follow_sources (
    id             text PRIMARY KEY,
    kind           text NOT NULL CHECK (kind IN ('channel', 'playlist', 'feed')),
    platform       text NOT NULL, -- of a channel or a playlist
    list_id        text NOT NULL,
    url            text NOT NULL,
    feed_url       text NOT NULL, -- '': the list itself is read
    title          text NOT NULL DEFAULT '',
    etag           text NOT NULL DEFAULT '',
    modified       text NOT NULL DEFAULT '', -- the header Last-Modified
    rules          text NOT NULL DEFAULT '{}', -- JSON object: how often the publisher wants looks
    last_entry     bigint NOT NULL DEFAULT 0, -- the highest position of an entry
    next_look_at   timestamptz, -- NULL: no active follow
    looking_until  timestamptz, -- the lease of the process that looks
    looked_at      timestamptz, -- the last look that succeeded
    new_at         timestamptz, -- the last look that found an entry
    failures       integer NOT NULL DEFAULT 0, -- since the last look that succeeded
    failing_since  timestamptz,
    told           boolean NOT NULL DEFAULT false, -- that it fails
    last_error     text, -- JSON object
    created_at     timestamptz NOT NULL,
    UNIQUE (kind, url)
);
CREATE INDEX follow_sources_due ON follow_sources (next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX follow_sources_looked ON follow_sources (looked_at) WHERE next_look_at IS NOT NULL;

CREATE TABLE follow_entries (
    source_id    text NOT NULL REFERENCES follow_sources (id) ON DELETE CASCADE,
    position     bigint NOT NULL, -- from 1, the oldest first
    guid         text NOT NULL, -- a hash
    platform     text NOT NULL, -- '': the link names no content
    external_id  text NOT NULL,
    url          text NOT NULL,
    title        text NOT NULL,
    published_at timestamptz,
    below        boolean NOT NULL, -- it was found below an older entry
    found_at     timestamptz NOT NULL,
    PRIMARY KEY (source_id, position),
    UNIQUE (source_id, guid)
);

CREATE TABLE follows (
    id           text PRIMARY KEY,
    account      text NOT NULL,
    source_id    text NOT NULL REFERENCES follow_sources (id),
    languages    text NOT NULL, -- '': the request had none
    max_items    integer NOT NULL, -- of those that were there at first
    paused       boolean NOT NULL DEFAULT false,
    begun        boolean NOT NULL DEFAULT false, -- position is set
    position     bigint NOT NULL DEFAULT 0, -- the entries up to it are dealt with
    next_take_at timestamptz, -- NULL: no entry waits
    last_error   text, -- JSON object: why the next entry waits
    trace        text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (account, source_id, languages)
);
CREATE INDEX follows_account ON follows (account, id);
CREATE INDEX follows_source ON follows (source_id);
CREATE INDEX follows_due ON follows (next_take_at) WHERE next_take_at IS NOT NULL;

CREATE TABLE follow_items (
    follow_id text NOT NULL REFERENCES follows (id) ON DELETE CASCADE,
    position  bigint NOT NULL, -- of the entry
    status    text NOT NULL CHECK (status IN ('waiting', 'submitted', 'skipped', 'failed')),
    job_id    text NOT NULL DEFAULT '',
    reason    text NOT NULL DEFAULT '',
    PRIMARY KEY (follow_id, position)
);
CREATE INDEX follow_items_job ON follow_items (job_id) WHERE job_id <> '';
CREATE INDEX follow_items_waiting ON follow_items (follow_id, position) WHERE status = 'waiting';

-- The plans under which accounts follow, and how many items they have had today.
CREATE TABLE follow_accounts (
    account text PRIMARY KEY,
    plan    text NOT NULL, -- JSON object
    follows integer NOT NULL DEFAULT 0, -- how many the account has
    day     text NOT NULL DEFAULT '', -- such as 2026-11-01
    taken   integer NOT NULL DEFAULT 0 -- on that day
);

-- The addresses to which accounts have events sent, and the deliveries there.
CREATE TABLE webhook_endpoints (
    id              text PRIMARY KEY,
    account         text NOT NULL, -- '': deleted, its rows are about to go
    url             text NOT NULL,
    events          text NOT NULL, -- JSON array; empty: all
    description     text NOT NULL,
    status          text NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
    disabled_reason text NOT NULL,
    signing_key     bytea NOT NULL,
    previous_key    bytea, -- signs too until previous_until
    previous_until  timestamptz,
    failures        integer NOT NULL, -- since the last success
    failing_since   timestamptz,
    not_before      timestamptz, -- of the next attempt
    slow            boolean NOT NULL,
    step            bigint NOT NULL, -- the number of the only step in the queue that counts
    step_at         timestamptz, -- NULL: no delivery is pending
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    CHECK ((previous_key IS NULL) = (previous_until IS NULL))
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account, id);
CREATE INDEX webhook_endpoints_step ON webhook_endpoints (step_at) WHERE step_at IS NOT NULL;
CREATE INDEX webhook_endpoints_previous ON webhook_endpoints (previous_until) WHERE previous_until IS NOT NULL;

CREATE TABLE webhook_deliveries (
    id          text PRIMARY KEY, -- UUIDv7 of created_at
    endpoint_id text NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    type        text NOT NULL,
    body        text NOT NULL, -- JSON object
    status      text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts    integer NOT NULL,
    last_status integer,
    last_error  text,
    next_at     timestamptz,
    ended_at    timestamptz,
    created_at  timestamptz NOT NULL,
    CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CHECK ((status = 'pending') = (ended_at IS NULL))
);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (endpoint_id, status, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- +goose Down
DROP TABLE webhook_deliveries;
DROP TABLE webhook_endpoints;
DROP TABLE follow_items;
DROP TABLE follows;
DROP TABLE follow_entries;
DROP TABLE follow_sources;
DROP TABLE follow_accounts;
DROP TABLE rate_windows;
DROP TABLE fair_shares;
DROP TABLE speakers;
DROP TABLE hooks;
DROP TABLE search_volume_blocks;
DROP TABLE search_volume_texts;
DROP TABLE search_volumes;
DROP TABLE search_blocks;
DROP TABLE batch_items;
DROP TABLE batches;
DROP TABLE measures;
DROP TABLE lookups;
DROP TABLE asr_places;
DROP TABLE shares;
DROP TABLE text_feeds;
DROP TABLE usage;
DROP TABLE recordings;
DROP TABLE revisions;
DROP TABLE library_rows;
DROP TABLE texts;
DROP TABLE contents;
DROP TABLE processes;
DROP TABLE uploads;
DROP TABLE idempotency_keys;
DROP TABLE chunks;
DROP TABLE job_events;
DROP TABLE jobs;
DROP TABLE extractions;
DROP TABLE transcripts;
DROP TABLE keys;
DROP TABLE accounts;
