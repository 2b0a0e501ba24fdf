-- +goose Up

-- Who has spoken in the chunks of an extraction that were recognized one after the other.
CREATE TABLE speakers (
    extraction_id text NOT NULL REFERENCES extractions (id) ON DELETE CASCADE,
    name          text NOT NULL,
    spoken        real NOT NULL, -- seconds
    clip          blob, -- a WAV of a few seconds in which nobody else speaks; NULL: there was none yet
    PRIMARY KEY (extraction_id, name)
);

-- +goose Down
DROP TABLE speakers;
