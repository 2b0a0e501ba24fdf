-- +goose Up

-- Of what some process wants to be told when it ends ("job_hook", "batch_hook"): else nobody is.
CREATE TABLE hooks (
    name   text PRIMARY KEY NOT NULL,
    set_at timestamptz NOT NULL -- when a process that has it has last said so
);

-- +goose Down
DROP TABLE hooks;
