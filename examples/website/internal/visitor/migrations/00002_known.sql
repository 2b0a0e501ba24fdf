-- Both databases read this file: its types are those that both have.

-- +goose Up
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
