-- +goose Up

-- How many bytes the texts of each account take: see package librarysize. The triggers count, so that
-- programs of all versions do.
CREATE TABLE library_sizes (
    account text PRIMARY KEY,
    bytes   bigint NOT NULL
);
LOCK TABLE transcripts, texts, library_rows, revisions IN SHARE ROW EXCLUSIVE MODE; -- nobody changes them before the triggers count

-- The last four bytes of a gzip are the length of what it unpacks to, the lowest byte first.
-- +goose StatementBegin
CREATE FUNCTION unpacked_bytes(gzip bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length(gzip) >= 4 THEN (
        SELECT get_byte(length, 0) + (get_byte(length, 1) << 8) + (get_byte(length, 2) << 16) + (CAST(get_byte(length, 3) AS bigint) << 24)
        FROM (SELECT substring(gzip FROM octet_length(gzip) - 3) AS length) AS e) ELSE 0 END
$$;
-- +goose StatementEnd
CREATE VIEW text_sizes AS
    SELECT 'text' AS kind, x.transcript_id AS id, 0 AS number, t.owner AS account, unpacked_bytes(x.segments) + unpacked_bytes(x.words) AS bytes
    FROM texts AS x JOIN transcripts AS t ON t.id = x.transcript_id WHERE t.owner <> ''
    UNION ALL
    SELECT 'revision', r.row_id, r.number, l.account, unpacked_bytes(r.segments) + unpacked_bytes(r.words)
    FROM revisions AS r JOIN library_rows AS l ON l.id = r.row_id;

INSERT INTO library_sizes (account, bytes) SELECT account, sum(bytes) FROM text_sizes GROUP BY account;

-- +goose StatementBegin
CREATE FUNCTION count_library(counted text, more bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO library_sizes AS s (account, bytes) SELECT counted, more WHERE counted <> '' AND more <> 0
        ON CONFLICT (account) DO UPDATE SET bytes = s.bytes + excluded.bytes
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION texts_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_library((SELECT owner FROM transcripts WHERE id = coalesce(NEW.transcript_id, OLD.transcript_id)),
        unpacked_bytes(NEW.segments) + unpacked_bytes(NEW.words) - unpacked_bytes(OLD.segments) - unpacked_bytes(OLD.words));
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION revisions_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_library((SELECT account FROM library_rows WHERE id = coalesce(NEW.row_id, OLD.row_id)),
        unpacked_bytes(NEW.segments) + unpacked_bytes(NEW.words) - unpacked_bytes(OLD.segments) - unpacked_bytes(OLD.words));
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- The texts that go with their transcript do not find it any more, and neither do revisions their row.
-- +goose StatementBegin
CREATE FUNCTION transcripts_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_library(OLD.owner, (SELECT coalesce(-sum(bytes), 0)::bigint FROM text_sizes WHERE kind = 'text' AND id = OLD.id));
    RETURN OLD;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION library_rows_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_library(OLD.account, (SELECT coalesce(-sum(bytes), 0)::bigint FROM text_sizes WHERE kind = 'revision' AND id = OLD.id));
    RETURN OLD;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER texts_counted AFTER INSERT OR UPDATE OR DELETE ON texts FOR EACH ROW EXECUTE FUNCTION texts_counted();
CREATE TRIGGER revisions_counted AFTER INSERT OR UPDATE OR DELETE ON revisions FOR EACH ROW EXECUTE FUNCTION revisions_counted();
CREATE TRIGGER transcripts_counted BEFORE DELETE ON transcripts FOR EACH ROW WHEN (OLD.owner <> '') EXECUTE FUNCTION transcripts_counted();
CREATE TRIGGER library_rows_counted BEFORE DELETE ON library_rows FOR EACH ROW WHEN (OLD.kind = 'transcript') EXECUTE FUNCTION library_rows_counted();

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TRIGGER library_rows_counted ON library_rows;
DROP TRIGGER transcripts_counted ON transcripts;
DROP TRIGGER revisions_counted ON revisions;
DROP TRIGGER texts_counted ON texts;
DROP FUNCTION library_rows_counted();
DROP FUNCTION transcripts_counted();
DROP FUNCTION revisions_counted();
DROP FUNCTION texts_counted();
DROP FUNCTION count_library(text, bigint);
DROP VIEW text_sizes;
DROP FUNCTION unpacked_bytes(bytea);
DROP TABLE library_sizes;
