-- +goose Up
-- Where the words of each text are said, in blocks; 00027 fills in those of the texts
-- that are there already.
CREATE TABLE search_blocks (
    transcript_id text NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
    first_word    text NOT NULL, -- no word of the block comes before it; '' of the first block
    words         blob NOT NULL, -- in order, with their places
    PRIMARY KEY (transcript_id, first_word)
) WITHOUT ROWID;
-- A search goes through the texts of one account, and reads no more of their rows.
CREATE INDEX library_rows_search ON library_rows (account, transcript_id, platform, lang, created_at, id)
    WHERE kind = 'transcript';

-- +goose Down
DROP INDEX library_rows_search;
DROP TABLE search_blocks;
