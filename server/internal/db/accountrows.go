package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/pasttext"
)

// AccountTable is a table whose rows of an account go into the export of the account.
type AccountTable struct {
	Name string // of the table

	more string   // columns of other tables
	from string   // the tables and the condition, with the table as t and the account as ?0
	key  []string // columns that no two rows have in common, in the order of the export
	omit []string // secrets, and what only the service understands
	bool []string // columns of true and false, which SQLite keeps as numbers
	json []string // columns of JSON
	past bool     // the columns segments and words are of package pasttext
}

// AccountTables are all tables with rows of accounts, except those that have nothing for its owner.
func AccountTables() []AccountTable {
	of := func(table string) string { return table + " AS t WHERE t.account = ?0" }
	within := func(table, column, parent string) string {
		return fmt.Sprintf("%s AS t WHERE t.%s IN (SELECT id FROM %s WHERE account = ?0)", table, column, parent)
	}
	// Each half has an index of its own.
	const jobsOf = `SELECT id FROM jobs WHERE account = ?0 AND ended_at IS NOT NULL UNION ALL SELECT id FROM jobs WHERE account = ?0 AND ` + running
	id := []string{"id"}
	return []AccountTable{
		{Name: "accounts", from: "accounts AS t WHERE t.id = ?0", key: id, bool: []string{"suspended"}},
		{Name: "keys", from: of("keys"), key: id, omit: []string{"hash"}, json: []string{"scopes"}},
		{Name: "usage", from: of("usage"), key: []string{"period"}},
		{Name: "library_rows", from: of("library_rows"), key: []string{"created_at", "id"}, omit: []string{"folded_title", "folded_channel", "volume"}, json: []string{"metadata"}, bool: []string{"edited", "starred"}},
		{Name: "revisions", from: within("revisions", "row_id", "library_rows"), key: []string{"row_id", "number"}, past: true},
		{Name: "transcripts", from: "transcripts AS t WHERE t.owner = ?0 AND t.owner <> ''", key: id, omit: []string{"prompt_sum"}, json: []string{"metadata"}, bool: []string{"edited"}},
		{Name: "recordings", from: of("recordings"), key: []string{"external_id"}, omit: []string{"media_key", "copy_key"}},
		{Name: "uploads", from: of("uploads"), key: id, omit: []string{"sum", "digest"}, bool: []string{"complete"}},
		{Name: "jobs", from: "jobs AS t WHERE t.id IN (" + jobsOf + ")", key: id, json: []string{"progress", "error", "last_error", "limits"}, bool: []string{"asked", "batched", "cached", "omit_timestamp", "send_metadata", "stale"}},
		{Name: "job_events", from: "job_events AS t WHERE t.job_id IN (" + jobsOf + ")", key: []string{"job_id", "sequence"}, json: []string{"last_error"}},
		{Name: "extractions", from: "extractions AS t WHERE t.owner = ?0 AND t.owner <> ''", key: id, omit: []string{"media_key", "audio_ended_at"}, json: []string{"metadata", "tried", "last_error"}},
		{Name: "batches", from: of("batches"), key: id, json: []string{"limits", "error", "last_error"}, bool: []string{"feeding", "listed"}},
		{Name: "batch_items", from: within("batch_items", "batch_id", "batches"), key: []string{"batch_id", "position"}, bool: []string{"retryable", "short", "sound"}},
		{
			Name: "follows", more: ", s.kind AS source_kind, s.url AS source_url, s.title AS source_title",
			from: "follows AS t JOIN follow_sources AS s ON s.id = t.source_id WHERE t.account = ?0", key: id, json: []string{"last_error"}, bool: []string{"begun", "paused"},
		},
		{Name: "follow_items", from: within("follow_items", "follow_id", "follows"), key: []string{"follow_id", "position"}},
		{Name: "webhook_endpoints", from: of("webhook_endpoints"), key: id, omit: []string{"signing_key", "previous_key"}, json: []string{"events"}, bool: []string{"slow"}},
		{Name: "webhook_deliveries", from: within("webhook_deliveries", "endpoint_id", "webhook_endpoints"), key: id, json: []string{"body"}},
		{Name: "shares", from: of("shares"), key: id, omit: []string{"hash"}},
		{Name: "text_feeds", from: of("text_feeds"), key: []string{"account"}, omit: []string{"hash"}},
		{Name: "idempotency_keys", from: of("idempotency_keys"), key: []string{"method", "route", "key"}, omit: []string{"fingerprint", "token"}, bool: []string{"done"}},
	}
}

// rowsAtOnce is how many rows of a table are in memory.
const rowsAtOnce = 200

// Rows calls each for the rows of an account in a table. Members have the names of the columns.
// Columns of JSON are JSON, and columns without a value are nil.
func (r Reader) Rows(ctx context.Context, t AccountTable, account string, each func(row map[string]any) error) error {
	var last []any
	for {
		var rows []map[string]any
		if err := r.rowsAfter(t, account, last).Scan(ctx, &rows); err != nil {
			return wrap(t.Name+" of "+account, err)
		}
		for _, row := range rows {
			last = last[:0]
			for _, column := range t.key {
				last = append(last, row[column])
			}
			if t.past {
				if err := r.unpack(ctx, row); err != nil {
					return fmt.Errorf("store: %s of %s: %w", t.Name, account, err)
				}
			}
			t.shape(row)
			if err := each(row); err != nil {
				return err
			}
		}
		if len(rows) < rowsAtOnce {
			return nil
		}
		last = slices.Clone(last)
	}
}

// rowsAfter returns rows after one with the key last; nil: the first rows.
func (r Reader) rowsAfter(t AccountTable, account string, last []any) *bun.RawQuery {
	order := "t." + strings.Join(t.key, ", t.")
	args := []any{account, bun.Safe(order), rowsAtOnce}
	after := ""
	if last != nil {
		after = " AND (?1) > (?3)"
		args = append(args, bun.List(last))
	}
	return r.db.NewRaw("SELECT t.*"+t.more+" FROM "+t.from+after+" ORDER BY ?1 LIMIT ?2", args...)
}

// unpack gives a row of the table revisions its text.
func (r Reader) unpack(ctx context.Context, row map[string]any) error {
	id, _ := row["row_id"].(string)
	number, _ := row["number"].(int64)
	text, err := pasttext.Read(ctx, r.db, id, int(number))
	if err != nil {
		return err
	}
	for column, one := range map[string]*packed.Bytes{"segments": text.Segments, "words": text.Words} {
		plain, err := one.Plain()
		if err != nil {
			return err
		}
		if row[column] = nil; len(plain) > 0 { // the text may have no words of its own
			row[column] = json.RawMessage(plain)
		}
	}
	return nil
}

// shape makes a row fit for JSON.
func (t AccountTable) shape(row map[string]any) {
	for _, column := range t.omit {
		delete(row, column)
	}
	for _, column := range t.bool {
		if n, ok := row[column].(int64); ok {
			row[column] = n != 0
		}
	}
	for _, column := range t.json {
		switch value := row[column].(type) {
		case string:
			row[column] = document(value)
		case []byte:
			row[column] = document(string(value))
		}
	}
}

// document is a value of a column of JSON; nil: the column is empty.
func document(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// TextsOf returns the ids of the texts that an account has: those of its library, and those that
// belong to the account alone.
func (r Reader) TextsOf(ctx context.Context, account string) (ids []string, err error) {
	err = r.db.NewRaw(`SELECT id FROM transcripts WHERE owner = ?0 AND owner <> ''
		UNION SELECT transcript_id FROM library_rows WHERE account = ?0 AND kind = 'transcript' ORDER BY 1`, account).Scan(ctx, &ids)
	return ids, wrap("texts of "+account, err)
}

// RecordingsOf returns all recordings that an account keeps.
func (r Reader) RecordingsOf(ctx context.Context, account string) (all []Recording, err error) {
	err = r.db.NewSelect().Model(&all).Where("account = ?", account).Order("external_id").Scan(ctx)
	return all, wrap("recordings of "+account, err)
}

// LongSnapshot is Snapshot for a reader that may rest between two questions for any time.
func (s *Store) LongSnapshot(ctx context.Context, read func(ctx context.Context, r Reader) error) error {
	return s.sql.Snapshot(ctx, func(ctx context.Context, db bun.IDB) error {
		if s.Shared() {
			if _, err := db.NewRaw("SET LOCAL idle_in_transaction_session_timeout = 0").Exec(ctx); err != nil {
				return wrap("snapshot", err)
			}
		}
		return read(ctx, newReader(&source{db: db, shared: s.Shared()}))
	})
}
