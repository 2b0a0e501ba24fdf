-- Both databases read this file, so the file uses only types of both. Times are seconds
-- since 1970.

-- +goose Up
ALTER TABLE website_users ADD COLUMN admin BOOLEAN NOT NULL DEFAULT FALSE; -- whether the user is an administrator
CREATE TABLE website_deeds (
    id         TEXT NOT NULL PRIMARY KEY, -- a UUIDv7: in the order of time
    admin      TEXT NOT NULL,             -- who did it
    action     TEXT NOT NULL,
    account    TEXT NOT NULL,             -- to which account
    detail     TEXT NOT NULL,
    at         BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX website_deeds_by_expiry ON website_deeds (expires_at);

-- +goose Down
DROP TABLE website_deeds;
ALTER TABLE website_users DROP COLUMN admin;
