-- +goose Up

-- The address that has answered with 2xx. Until it is the url, the webhook gets test events alone.
-- A webhook from before this migration counts as one that has answered. A webhook that a process
-- of the last version makes meanwhile has NULL here, and gets a test before its next event.
ALTER TABLE webhook_endpoints ADD COLUMN verified_url text;
UPDATE webhook_endpoints SET verified_url = url;

ALTER TABLE webhook_deliveries ADD COLUMN resent_at timestamp; -- when the account had it sent again last
CREATE INDEX webhook_deliveries_resent ON webhook_deliveries (endpoint_id, resent_at) WHERE resent_at IS NOT NULL;
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, id) WHERE status = 'pending' AND type = 'test';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (created_at) WHERE status = 'pending';

-- The last two requests for an account to a host, and the end of the line of webhooks that wait for
-- their turn at it.
CREATE TABLE webhook_rates (
    account   text NOT NULL,
    host      text NOT NULL,
    before_at timestamp NOT NULL,
    last_at   timestamp NOT NULL,
    line_at   timestamp NOT NULL,
    PRIMARY KEY (account, host)
);
CREATE INDEX webhook_rates_last ON webhook_rates (last_at);

UPDATE compatibility SET oldest = 1, release = 'v0.1.0';

-- +goose Down
DROP TABLE webhook_rates;
DROP INDEX webhook_deliveries_waiting;
DROP INDEX webhook_deliveries_tests;
DROP INDEX webhook_deliveries_resent;
ALTER TABLE webhook_deliveries DROP COLUMN resent_at;
ALTER TABLE webhook_endpoints DROP COLUMN verified_url;
