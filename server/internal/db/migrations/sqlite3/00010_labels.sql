-- +goose Up

-- What accounts call the contents of their libraries. A label goes with the last row of its content.
CREATE TABLE labels (
    account      text NOT NULL,
    platform     text NOT NULL,
    external_id  text NOT NULL,
    title        text NOT NULL DEFAULT '', -- '': the account has given none
    folded_title text NOT NULL DEFAULT '', -- of its rows in the library
    tags         text NOT NULL DEFAULT '[]', -- JSON array
    folded_tags  text NOT NULL DEFAULT '', -- each between two ends of lines
    PRIMARY KEY (account, platform, external_id)
) WITHOUT ROWID;

-- A library is sorted and searched by the account's own titles, whatever version writes a row.
-- +goose StatementBegin
CREATE TRIGGER library_rows_labeled AFTER INSERT ON library_rows BEGIN
    UPDATE library_rows SET folded_title = b.folded_title FROM labels AS b
        WHERE library_rows.id = NEW.id AND b.account = NEW.account AND b.platform = NEW.platform AND b.external_id = NEW.external_id AND b.title <> '';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER library_rows_relabeled AFTER UPDATE OF folded_title ON library_rows BEGIN
    UPDATE library_rows SET folded_title = b.folded_title FROM labels AS b
        WHERE library_rows.id = NEW.id AND b.account = NEW.account AND b.platform = NEW.platform AND b.external_id = NEW.external_id AND b.title <> ''
            AND b.folded_title <> NEW.folded_title;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER library_rows_unlabeled AFTER DELETE ON library_rows BEGIN
    DELETE FROM labels WHERE account = OLD.account AND platform = OLD.platform AND external_id = OLD.external_id
        AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = OLD.account AND l.platform = OLD.platform AND l.external_id = OLD.external_id AND l.kind = 'transcript')
        AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = OLD.account AND l.platform = OLD.platform AND l.external_id = OLD.external_id AND l.kind <> 'transcript');
END;
-- +goose StatementEnd

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TRIGGER library_rows_unlabeled;
DROP TRIGGER library_rows_relabeled;
DROP TRIGGER library_rows_labeled;
DROP TABLE labels;
