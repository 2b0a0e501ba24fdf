// Package tables says of each table of the database whose its rows are, and what becomes of them.
//
// A feature declares its tables beside its SQL. service.Tables lists the tables of all features.
// The export of an account, the removal of an account, the hourly sweep and a backup read the
// declarations. A new table needs a declaration: a test fails without it.
package tables

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Some is how many rows of a table one transaction deletes at most. More would hold up other writers.
const Some = 200

// Table declares a table. SQL in it speaks to both kinds of databases.
type Table struct {
	Name string
	// Key are the columns of the primary key.
	Key []string
	// Owner is the condition of the rows of an account, in SQL: the table is t, and the account is ?0.
	// "" means that no row is an account's own. OwnedBy and OwnedWith make the usual conditions.
	Owner string
	// With is the table with whose rows the rows of this table go. The database does that by a foreign
	// key, or the feature does it. "" means the rows stand alone.
	With string
	// Export says what of the rows goes into the export of their account; nil means that
	// nothing does.
	Export *Export
	// Removal says how the rows go when their account is removed; nil means that With says it, or no
	// row is an account's own.
	Removal *Removal
	// Old says which rows the hourly sweep deletes; nil means that the sweep leaves the
	// table alone.
	Old *Old
	// Blobs calls do for each blob that a row needs, and reads some hundred rows at a time; nil means
	// that the rows need no blobs. A backup copies these blobs, and a verification looks for them.
	// Both know a store alone, so only tables of package db have blobs.
	Blobs func(ctx context.Context, from bun.IDB, do func(Blob) error) error
	// Lease tells that the rows are of living processes: a restored database begins without them.
	Lease bool
	// OnPostgres tells that there is no such table on SQLite.
	OnPostgres bool
}

// OwnedBy is the condition of the rows whose column names the account.
func OwnedBy(column string) string { return "t." + column + " = ?0" }

// OwnedWith is the condition of the rows whose column names a row of an account in another table.
func OwnedWith(column, other string) string {
	return fmt.Sprintf("t.%s IN (SELECT id FROM %s WHERE account = ?0)", column, other)
}

// Removal says how the rows of an account go when the account is removed.
type Removal struct {
	Turn Turn
	// Rows is the condition of the rows that may go, as Table.Owner; "" means that
	// Table.Owner is.
	Rows string
	// AtOnce is how many rows one transaction deletes; 0: as many as Some.
	AtOnce int
	// ByFeature tells that the feature deletes the rows, because more goes with them than a statement
	// deletes: retention.Removals.ByFeature has its function.
	ByFeature bool
}

// Turn says when rows go in the removal of an account. Tables of a turn have the order of the list.
type Turn int

// The turns, in their order. The jobs that run are cancelled after the second one.
const (
	Access  Turn = iota // what lets others in
	Sources             // what makes work
	Results             // what work has made
	Counts              // what was counted, and what is remembered
)

// Old says which rows the hourly sweep deletes.
type Old struct {
	// Rows is the condition, in SQL. The table has its own name. ?0 is a time by the database's clock,
	// and ?1 the same time as a value: with it PostgreSQL guesses how many rows are older.
	Rows string
	// Age is how long ago the time is. nil means that the condition names no time.
	Age func(Kept) time.Duration
}

// Kept is how long the service keeps things of all accounts.
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
	// May tells that the blob may have gone although the row names it.
	May bool
}

// DeleteOf deletes some rows of an account as Removal says, and returns how many.
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

// Delete deletes some rows that a condition selects, and returns how many. The condition names the
// table by its own name.
func (t Table) Delete(ctx context.Context, in bun.IDB, rows string, args ...any) (int64, error) {
	key := strings.Join(t.Key, ", ")
	// Asked twice: a row that another changes meanwhile may not be selected any more.
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
