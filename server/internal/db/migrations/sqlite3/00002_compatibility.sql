-- +goose Up

-- Which programs may work on these tables. The Up half of each later migration ends with an
-- UPDATE of the only row.
CREATE TABLE compatibility (
    one     integer PRIMARY KEY NOT NULL CHECK (one = 1),
    oldest  bigint NOT NULL, -- the lowest number of a program's last migration with which the program may work on these tables
    release text NOT NULL    -- the version of the programs whose last migration has run
);
INSERT INTO compatibility (one, oldest, release) VALUES (1, 1, 'v0.1.0');

-- +goose Down
DROP TABLE compatibility;
