-- +goose Up

-- What accounts call the contents of their libraries. A label goes with the last row of its content.
CREATE TABLE labels (
    account      text NOT NULL,
    platform     text NOT NULL,
    external_id  text NOT NULL,
    title        text NOT NULL DEFAULT '', -- '': the account has given none
    folded_title text COLLATE "C" NOT NULL DEFAULT '', -- of its rows in the library
    tags         text NOT NULL DEFAULT '[]', -- JSON array
    folded_tags  text NOT NULL DEFAULT '', -- each between two ends of lines
    PRIMARY KEY (account, platform, external_id)
);

-- A library is sorted and searched by the account's own titles, whatever version writes a row.
-- +goose StatementBegin
CREATE FUNCTION library_rows_labeled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.folded_title = coalesce((SELECT b.folded_title FROM labels AS b WHERE b.account = NEW.account AND b.platform = NEW.platform
        AND b.external_id = NEW.external_id AND b.title <> ''), NEW.folded_title);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION library_rows_unlabeled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM labels AS b WHERE b.account = OLD.account AND b.platform = OLD.platform AND b.external_id = OLD.external_id
        AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = OLD.account AND l.platform = OLD.platform AND l.external_id = OLD.external_id AND l.kind = 'transcript')
        AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = OLD.account AND l.platform = OLD.platform AND l.external_id = OLD.external_id AND l.kind <> 'transcript');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER library_rows_labeled BEFORE INSERT OR UPDATE OF folded_title ON library_rows FOR EACH ROW EXECUTE FUNCTION library_rows_labeled();
CREATE TRIGGER library_rows_unlabeled AFTER DELETE ON library_rows FOR EACH ROW EXECUTE FUNCTION library_rows_unlabeled();

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TRIGGER library_rows_unlabeled ON library_rows;
DROP TRIGGER library_rows_labeled ON library_rows;
DROP FUNCTION library_rows_unlabeled();
DROP FUNCTION library_rows_labeled();
DROP TABLE labels;
