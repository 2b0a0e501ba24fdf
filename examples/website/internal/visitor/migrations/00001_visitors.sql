-- Both databases read this file, so the file uses only types of both. Times are seconds
-- since 1970.

-- +goose Up
CREATE TABLE website_users (
    folded     TEXT NOT NULL PRIMARY KEY, -- the name in small letters: a second user cannot be "ada" if there is "Ada"
    name       TEXT NOT NULL,             -- also the name of the account at the service
    password   TEXT NOT NULL,             -- its hash, in PHC form
    sessions   TEXT NOT NULL,             -- random; a session with another value has ended
    created_at BIGINT NOT NULL
);
CREATE TABLE website_sessions (
    token      TEXT NOT NULL PRIMARY KEY, -- its hash
    data       TEXT NOT NULL,             -- empty: the session has ended for good
    used_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX website_sessions_by_expiry ON website_sessions (expires_at);
CREATE TABLE website_guests (
    id         TEXT NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX website_guests_by_expiry ON website_guests (expires_at);
CREATE TABLE website_counts (
    subject    TEXT NOT NULL,   -- the account or network, and what is counted
    expires_at BIGINT NOT NULL, -- the end of the period that is counted
    used       BIGINT NOT NULL, -- taken and not given back
    asked      BIGINT NOT NULL, -- taken
    PRIMARY KEY (subject, expires_at)
);
CREATE INDEX website_counts_by_expiry ON website_counts (expires_at);
CREATE TABLE website_secrets (
    name   TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL
);
CREATE TABLE website_known (
    folded     TEXT NOT NULL,   -- the user
    mark       TEXT NOT NULL,   -- the hash of a browser's token, or of a network
    seen_at    BIGINT NOT NULL, -- nanoseconds since 1970: when the user last signed in there
    expires_at BIGINT NOT NULL, -- seconds since 1970
    PRIMARY KEY (folded, mark)
);
CREATE INDEX website_known_by_expiry ON website_known (expires_at);

-- +goose Down
DROP TABLE website_known;
DROP TABLE website_secrets;
DROP TABLE website_counts;
DROP TABLE website_guests;
DROP TABLE website_sessions;
DROP TABLE website_users;
