-- +goose Up

-- How many bytes the texts of each account take: see package librarysize. The triggers count, so that
-- programs of all versions do.
CREATE TABLE library_sizes (
    account text PRIMARY KEY NOT NULL,
    bytes   bigint NOT NULL
) WITHOUT ROWID;

-- The last four bytes of a gzip are the length of what it unpacks to, the lowest byte first.
CREATE VIEW packed_texts AS
    SELECT 'text' AS kind, x.transcript_id AS id, 0 AS number, t.owner AS account,
        CASE WHEN length(x.segments) >= 4 THEN hex(substr(x.segments, -4)) ELSE '00000000' END AS a,
        CASE WHEN length(x.words) >= 4 THEN hex(substr(x.words, -4)) ELSE '00000000' END AS b
    FROM texts AS x JOIN transcripts AS t ON t.id = x.transcript_id WHERE t.owner <> ''
    UNION ALL
    SELECT 'revision', r.row_id, r.number, l.account,
        CASE WHEN length(r.segments) >= 4 THEN hex(substr(r.segments, -4)) ELSE '00000000' END,
        CASE WHEN length(r.words) >= 4 THEN hex(substr(r.words, -4)) ELSE '00000000' END
    FROM revisions AS r JOIN library_rows AS l ON l.id = r.row_id;
CREATE VIEW text_sizes AS
    SELECT kind, id, number, account,
        instr('123456789ABCDEF', substr(a, 1, 1)) * 16 + instr('123456789ABCDEF', substr(a, 2, 1))
        + ((instr('123456789ABCDEF', substr(a, 3, 1)) * 16 + instr('123456789ABCDEF', substr(a, 4, 1))) << 8)
        + ((instr('123456789ABCDEF', substr(a, 5, 1)) * 16 + instr('123456789ABCDEF', substr(a, 6, 1))) << 16)
        + ((instr('123456789ABCDEF', substr(a, 7, 1)) * 16 + instr('123456789ABCDEF', substr(a, 8, 1))) << 24)
        + instr('123456789ABCDEF', substr(b, 1, 1)) * 16 + instr('123456789ABCDEF', substr(b, 2, 1))
        + ((instr('123456789ABCDEF', substr(b, 3, 1)) * 16 + instr('123456789ABCDEF', substr(b, 4, 1))) << 8)
        + ((instr('123456789ABCDEF', substr(b, 5, 1)) * 16 + instr('123456789ABCDEF', substr(b, 6, 1))) << 16)
        + ((instr('123456789ABCDEF', substr(b, 7, 1)) * 16 + instr('123456789ABCDEF', substr(b, 8, 1))) << 24) AS bytes
    FROM packed_texts;

INSERT INTO library_sizes (account, bytes) SELECT account, sum(bytes) FROM text_sizes GROUP BY account;

-- +goose StatementBegin
CREATE TRIGGER texts_come AFTER INSERT ON texts BEGIN
    INSERT INTO library_sizes (account, bytes) SELECT account, bytes FROM text_sizes WHERE kind = 'text' AND id = NEW.transcript_id
        ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER texts_change BEFORE UPDATE ON texts BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT bytes FROM text_sizes WHERE kind = 'text' AND id = OLD.transcript_id)
        WHERE account = (SELECT owner FROM transcripts WHERE id = OLD.transcript_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
    UPDATE library_sizes SET bytes = bytes + (SELECT bytes FROM text_sizes WHERE kind = 'text' AND id = NEW.transcript_id)
        WHERE account = (SELECT owner FROM transcripts WHERE id = NEW.transcript_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER texts_go BEFORE DELETE ON texts BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT bytes FROM text_sizes WHERE kind = 'text' AND id = OLD.transcript_id)
        WHERE account = (SELECT owner FROM transcripts WHERE id = OLD.transcript_id);
END;
-- +goose StatementEnd
-- The texts that go with their transcript do not find it any more.
-- +goose StatementBegin
CREATE TRIGGER transcripts_go BEFORE DELETE ON transcripts WHEN OLD.owner <> '' BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM text_sizes WHERE kind = 'text' AND id = OLD.id)
        WHERE account = OLD.owner;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER revisions_come AFTER INSERT ON revisions BEGIN
    INSERT INTO library_sizes (account, bytes) SELECT account, bytes FROM text_sizes WHERE kind = 'revision' AND id = NEW.row_id AND number = NEW.number
        ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER revisions_change BEFORE UPDATE ON revisions BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT bytes FROM text_sizes WHERE kind = 'revision' AND id = OLD.row_id AND number = OLD.number)
        WHERE account = (SELECT account FROM library_rows WHERE id = OLD.row_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER revisions_changed AFTER UPDATE ON revisions BEGIN
    UPDATE library_sizes SET bytes = bytes + (SELECT bytes FROM text_sizes WHERE kind = 'revision' AND id = NEW.row_id AND number = NEW.number)
        WHERE account = (SELECT account FROM library_rows WHERE id = NEW.row_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER revisions_go BEFORE DELETE ON revisions BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT bytes FROM text_sizes WHERE kind = 'revision' AND id = OLD.row_id AND number = OLD.number)
        WHERE account = (SELECT account FROM library_rows WHERE id = OLD.row_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER library_rows_go BEFORE DELETE ON library_rows WHEN OLD.kind = 'transcript' BEGIN
    UPDATE library_sizes SET bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM text_sizes WHERE kind = 'revision' AND id = OLD.id)
        WHERE account = OLD.account AND EXISTS (SELECT 1 FROM revisions WHERE row_id = OLD.id);
END;
-- +goose StatementEnd

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TRIGGER library_rows_go;
DROP TRIGGER revisions_go;
DROP TRIGGER revisions_changed;
DROP TRIGGER revisions_change;
DROP TRIGGER revisions_come;
DROP TRIGGER transcripts_go;
DROP TRIGGER texts_go;
DROP TRIGGER texts_changed;
DROP TRIGGER texts_change;
DROP TRIGGER texts_come;
DROP VIEW text_sizes;
DROP VIEW packed_texts;
DROP TABLE library_sizes;
