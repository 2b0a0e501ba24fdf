// Package tables says for each table of the database who owns its rows, and when they are
// deleted.
//
// A feature declares its tables next to its SQL. service.Tables lists the tables of all
// features. The export of an account, the removal of an account, the hourly sweep and a backup
// read the declarations. A new table needs a declaration: a test fails without it.
package tables

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Some is the largest number of rows of a table that one transaction deletes. More rows would
// block other writers.
const Some = 200

// Table declares a table. Its SQL works on both kinds of databases.
type Table struct {
	Name string
	// Key are the columns of the primary key.
	Key []string
	// Owner is the condition of the rows of an account, in SQL: the table is t, and the account is ?0.
	// "" means that no row is an account's own. OwnedBy and OwnedWith make the usual conditions.
	Owner string
	// With is the table with whose rows the rows of this table are deleted. The database does that by
	// a foreign key, or the feature does it. "" means the rows stand alone.
	With string
	// Export says which parts of the rows the export of their account contains; nil means
	// none.
	Export *Export
	// Removal says how the rows are deleted when their account is removed; nil means that With says
	// it, or that no row belongs to an account alone.
	Removal *Removal
	// Old says which rows the hourly sweep deletes; nil means that the sweep leaves the
	// table alone.
	Old *Old
	// Blobs calls do for each blob that a row needs, and reads some hundred rows at a time; nil means
	// that the rows need no blobs. A backup copies these blobs, and a verification looks for them.
	// Both have only a store, so only tables of package db have blobs.
	Blobs func(ctx context.Context, from bun.IDB, do func(Blob) error) error
	// Lease says that the rows belong to living processes: a restored database begins without
	// them.
	Lease bool
	// OnPostgres says that there is no such table on SQLite.
	OnPostgres bool
}

// OwnedBy is the condition of the rows whose column names the account.
func OwnedBy(column string) string { return "t." + column + " = ?0" }

// OwnedWith is the condition of the rows whose column names a row of an account in another table.
func OwnedWith(column, other string) string {
	return fmt.Sprintf("t.%s IN (SELECT id FROM %s WHERE account = ?0)", column, other)
}

// Removal says how the rows of an account are deleted when the account is removed.
type Removal struct {
	Turn Turn
	// Rows is the condition of the rows that may go, as Table.Owner; "" means that
	// Table.Owner is.
	Rows string
	// AtOnce is how many rows one transaction deletes; 0 means as many as Some.
	AtOnce int
	// ByFeature says that the feature deletes the rows, because a statement would not delete
	// everything that belongs to them: retention.Removals.ByFeature has its function.
	ByFeature bool
}

// Turn says when rows are deleted in the removal of an account. Tables of a turn have the order of
// the list.
type Turn int

// The turns, in their order. The jobs that run are cancelled after the second one.
const (
	Access  Turn = iota // credentials, which let callers in
	Sources             // what makes work
	Results             // the results of work
	Counts              // counts and stored facts
)

// Old says which rows the hourly sweep deletes.
type Old struct {
	// Rows is the condition, in SQL. The table has its own name. ?0 is a time by the database's clock,
	// and ?1 the same time as a value: with it PostgreSQL guesses how many rows are older.
	Rows string
	// Age is how long ago the time is. nil means that the condition names no time.
	Age func(Kept) time.Duration
}

// Kept is how long the service keeps data of all accounts.
type Kept struct {
	Jobs    time.Duration // that have ended
	Answers time.Duration // for idempotency keys
}

// ForJobs is the age of what is kept as long as ended jobs.
func ForJobs(k Kept) time.Duration { return k.Jobs }

// For is the age of what is kept for a time.
func For(age time.Duration) func(Kept) time.Duration {
	return func(Kept) time.Duration { return age }
}

// Blob is a blob that a row needs.
type Blob struct {
	Key  string
	Size int64  // bytes; 0 means that the row does not know
	Sum  []byte // the first bytes of its SHA-256; nil means that the row does not know
	// May says that the blob may have been deleted although the row names it.
	May bool
}

// DeleteOf deletes some rows of an account as Removal says, and returns their number.
func (t Table) DeleteOf(ctx context.Context, in bun.IDB, account string) (int64, error) {
	rows, n := t.Removal.Rows, t.Removal.AtOnce
	if rows == "" {
		rows = t.Owner
	}
	if n == 0 {
		n = Some
	}
	key := strings.Join(t.Key, ", ")
	query := fmt.Sprintf("DELETE FROM %[1]s WHERE (%[2]s) IN (SELECT %[2]s FROM %[1]s AS t WHERE %[3]s LIMIT %[4]d)", t.Name, key, rows, n)
	return t.delete(ctx, in, query, account)
}

// Delete deletes some rows that a condition selects, and returns their number. The condition names
// the table by its own name.
func (t Table) Delete(ctx context.Context, in bun.IDB, rows string, args ...any) (int64, error) {
	key := strings.Join(t.Key, ", ")
	// Selected twice, because another transaction may have changed a row meanwhile.
	query := fmt.Sprintf("DELETE FROM %[1]s WHERE (%[2]s) IN (SELECT %[2]s FROM %[1]s WHERE %[3]s LIMIT %[4]d) AND (%[3]s)", t.Name, key, rows, Some)
	return t.delete(ctx, in, query, args...)
}

func (t Table) delete(ctx context.Context, in bun.IDB, query string, args ...any) (n int64, err error) {
	res, err := in.NewRaw(query, args...).Exec(ctx)
	if err == nil {
		n, err = res.RowsAffected()
	}
	return n, sqldb.Wrap("delete rows of "+t.Name, err)
}
