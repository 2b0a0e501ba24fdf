-- +goose Up

-- When the extraction ended whose audio is still among the blobs. NULL: it runs, or its audio has gone.
ALTER TABLE extractions ADD COLUMN audio_ended_at timestamp;
CREATE INDEX extractions_audio ON extractions (audio_ended_at) WHERE audio_ended_at IS NOT NULL;

-- The session of a process with the database, by which the others learn that it has ended. NULL: by its beats alone.
ALTER TABLE processes ADD COLUMN session integer;

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
ALTER TABLE processes DROP COLUMN session;
DROP INDEX extractions_audio;
ALTER TABLE extractions DROP COLUMN audio_ended_at;
