-- Both databases read this file: its types are those that both have. Times are seconds
-- since 1970.

-- +goose Up
CREATE TABLE website_users (
    folded     TEXT NOT NULL PRIMARY KEY, -- the name in small letters: nobody signs up beside "Ada" as "ada"
    name       TEXT NOT NULL,             -- as the service's account is named
    password   TEXT NOT NULL,             -- its hash, in PHC form
    sessions   TEXT NOT NULL,             -- random: a session that holds another one has ended
    created_at BIGINT NOT NULL
);
CREATE TABLE website_sessions (
    token      TEXT NOT NULL PRIMARY KEY, -- its hash
    data       TEXT NOT NULL,             -- empty: it has ended, and does not come back
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
    subject    TEXT NOT NULL,   -- whose, and of what
    expires_at BIGINT NOT NULL, -- the end of the period that is counted
    used       BIGINT NOT NULL, -- what was taken and not given back
    asked      BIGINT NOT NULL, -- what was taken
    PRIMARY KEY (subject, expires_at)
);
CREATE INDEX website_counts_by_expiry ON website_counts (expires_at);
CREATE TABLE website_secrets (
    name   TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL
);

-- +goose Down
DROP TABLE website_secrets;
DROP TABLE website_counts;
DROP TABLE website_guests;
DROP TABLE website_sessions;
DROP TABLE website_users;
