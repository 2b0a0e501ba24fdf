-- +goose Up

-- What keeps all processes from deleting blobs: a backup, for example.
CREATE TABLE blob_holds (
    id    text PRIMARY KEY NOT NULL,
    until timestamptz NOT NULL -- the holder moves this time on, so that a dead holder holds nothing for long
);

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TABLE blob_holds;
