-- +goose Up

-- The virtual finish times of accounts in the queues, in milliseconds: see fairness.go.
CREATE TABLE fair_shares (
    queue    text NOT NULL,
    priority integer NOT NULL,
    turn     text NOT NULL,
    finish   bigint NOT NULL,
    PRIMARY KEY (queue, priority, turn)
);
CREATE INDEX fair_shares_last ON fair_shares (queue, priority, finish);
DROP TABLE turns;

-- +goose Down
CREATE TABLE turns (
    queue   text NOT NULL,
    account text NOT NULL,
    turn    bigint NOT NULL,
    PRIMARY KEY (queue, account)
);
DROP TABLE fair_shares;
