-- +goose Up

-- How followed addresses are looked at. A source without a row has not been due since this migration.
CREATE TABLE follow_looks (
    source_id     text PRIMARY KEY NOT NULL REFERENCES follow_sources (id) ON DELETE CASCADE,
    account       text NOT NULL, -- in whose turn the source is looked at: one that follows it
    host          text NOT NULL, -- with the port
    slow          boolean NOT NULL, -- it stands in the slow line of the account
    due_at        timestamp, -- NULL: no look waits or is under way
    looking_since timestamp, -- NULL: no look is under way
    moved_to      text NOT NULL DEFAULT '', -- where the last look was led for good
    moved_looks   integer NOT NULL DEFAULT 0 -- how many looks in a row were led there
);
CREATE INDEX follow_looks_due ON follow_looks (account, slow, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX follow_looks_quick ON follow_looks (account, host) WHERE NOT slow;

-- The two lines of an account in which looks wait.
CREATE TABLE follow_lines (
    account text NOT NULL,
    slow    boolean NOT NULL,
    step    bigint NOT NULL DEFAULT 0, -- the number of the only step in the queue that counts
    step_at timestamp, -- NULL: no step is in the queue
    PRIMARY KEY (account, slow)
);

ALTER TABLE follows ADD COLUMN ended_at timestamp; -- the publisher has ended the feed

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
ALTER TABLE follows DROP COLUMN ended_at;
DROP TABLE follow_lines;
DROP TABLE follow_looks;
