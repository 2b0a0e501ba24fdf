-- +goose Up

-- When accounts had a queue's worker last while others waited, counted in turns.
CREATE TABLE turns (
    queue   text NOT NULL,
    account text NOT NULL,
    turn    bigint NOT NULL,
    PRIMARY KEY (queue, account)
);

-- +goose Down
DROP TABLE turns;
