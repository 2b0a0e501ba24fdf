-- +goose Up

-- What is known of work that has no text yet, and whose channel a row belongs to.
ALTER TABLE library_rows ADD COLUMN source_url text NOT NULL DEFAULT ''; -- of pending and failed
ALTER TABLE library_rows ADD COLUMN metadata text NOT NULL DEFAULT '{}'; -- of pending and failed, a JSON object
ALTER TABLE library_rows ADD COLUMN creator text COLLATE "C" NOT NULL DEFAULT ''; -- the creator's handle, else the channel
UPDATE library_rows SET
    folded_title = substr(folded_title, 1, 256), folded_channel = substr(folded_channel, 1, 128),
    creator = coalesce((SELECT substr(coalesce(nullif(t.creator_handle, ''), t.channel), 1, 128)
        FROM transcripts AS t WHERE t.id = library_rows.transcript_id), '');

-- The work that runs.
INSERT INTO library_rows (id, account, kind, platform, external_id, lang, languages, job_id, starred, created_at, updated_at, source_url, metadata)
    SELECT j.id, j.account, 'pending', e.platform, e.external_id,
        CASE
            WHEN e.languages IN ('', 'asr') OR e.languages LIKE 'asr,%' THEN 'und'
            WHEN e.languages LIKE 'asr-%' THEN split_part(substr(e.languages, 5), ',', 1)
            ELSE split_part(e.languages, ',', 1)
        END,
        e.languages, j.id, false, j.created_at, j.updated_at, e.source_url, e.metadata
    FROM jobs AS j JOIN extractions AS e ON e.id = j.extraction_id
    WHERE j.status IN ('pending', 'processing');

-- A list is filtered and counted in these alone, whoever else's rows lie between.
DROP INDEX library_rows_recent;
DROP INDEX library_rows_title;
CREATE INDEX library_rows_recent ON library_rows (account, created_at, id) INCLUDE (kind, platform, lang, starred, folded_title, folded_channel);
CREATE INDEX library_rows_title ON library_rows (account, (folded_title = ''), folded_title, id) INCLUDE (kind, platform, lang, starred, folded_channel);
CREATE INDEX library_rows_lang ON library_rows (account, lang) WHERE kind = 'transcript';
CREATE INDEX library_rows_batch ON library_rows (account, created_at, id) WHERE kind = 'batch';
CREATE INDEX library_rows_creator ON library_rows (account, platform, creator, created_at, id) WHERE kind = 'transcript';

-- +goose Down
DELETE FROM library_rows WHERE kind <> 'transcript';
DROP INDEX library_rows_creator;
DROP INDEX library_rows_batch;
DROP INDEX library_rows_lang;
DROP INDEX library_rows_title;
DROP INDEX library_rows_recent;
CREATE INDEX library_rows_recent ON library_rows (account, created_at, id);
CREATE INDEX library_rows_title ON library_rows (account, (folded_title = ''), folded_title, id);
ALTER TABLE library_rows DROP COLUMN creator;
ALTER TABLE library_rows DROP COLUMN metadata;
ALTER TABLE library_rows DROP COLUMN source_url;
