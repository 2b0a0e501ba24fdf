-- +goose Up
-- What a process can do, for those that leave work to it: a JSON object; NULL of a
-- process that does not say.
ALTER TABLE processes ADD COLUMN abilities text;

-- What readers have asked a platform, through a process that can.
CREATE TABLE lookups (
    id          text PRIMARY KEY NOT NULL,
    platform    text NOT NULL,
    external_id text NOT NULL,
    languages   text NOT NULL,
    source_url  text NOT NULL,
    answer      text, -- JSON object: the best that is known so far
    asked_at    timestamp NOT NULL,
    ended_at    timestamp -- NULL while the answer may still become better
);
-- Equal questions at the same time are asked once.
CREATE UNIQUE INDEX lookups_running ON lookups (platform, external_id, languages) WHERE ended_at IS NULL;
CREATE INDEX lookups_asked ON lookups (asked_at);

-- +goose Down
DROP TABLE lookups;
ALTER TABLE processes DROP COLUMN abilities;
