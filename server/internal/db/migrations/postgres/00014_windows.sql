-- +goose Up

-- How many requests of an account were counted in a window: fixed ones, which begin
-- at multiples of their length since 1970. Unlogged: there is a write for every
-- request, which costs no wait for the disk so, and a crash of the database that
-- begins the windows anew harms nobody.
CREATE UNLOGGED TABLE rate_windows (
    account  text NOT NULL,
    class    text NOT NULL,
    seconds  bigint NOT NULL, -- the length
    began    bigint NOT NULL, -- Unix time in seconds
    requests bigint NOT NULL,
    PRIMARY KEY (account, class, seconds)
);

-- +goose Down
DROP TABLE rate_windows;
