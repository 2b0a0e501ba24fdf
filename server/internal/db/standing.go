package db

import (
	"context"
	"time"
)

// Standing is the state of an account at one moment: its use in a period, its places,
// and the key of the request.
type Standing struct {
	Usage  Usage
	Places PlacesInUse
	Key    *Key // nil: the account has none with that id
}

// Standing returns how the account stands, in the period that began at a time. One
// query.
func (r Accounts) Standing(ctx context.Context, account, keyID string, period time.Time) (Standing, error) {
	var row struct {
		Usage
		Running, Waiting int
		Key              Key `bun:"embed:key_"`
	}
	err := r.db.NewSelect().
		TableExpr("(?) AS p", countPlaces(r.db, account)).
		Join("LEFT JOIN usage AS u ON u.account = ? AND u.period = ?", account, period.Format(time.DateOnly)).
		Join("LEFT JOIN keys AS k ON k.account = ? AND k.id = ?", account, keyID).
		ColumnExpr("p.running, p.waiting").
		ColumnExpr("u.used_transcripts, u.used_minutes, u.reserved_transcripts, u.reserved_minutes").
		ColumnExpr("k.id AS key_id, k.account AS key_account, k.prefix AS key_prefix, k.name AS key_name, k.scopes AS key_scopes").
		ColumnExpr("k.created_at AS key_created_at, k.expires_at AS key_expires_at, k.last_used_at AS key_last_used_at").
		Scan(ctx, &row)
	if err != nil {
		return Standing{}, wrap("standing of "+account, err)
	}
	s := Standing{Usage: row.Usage, Places: PlacesInUse{row.Running, row.Waiting}}
	if row.Key.ID != "" {
		s.Key = &row.Key
	}
	return s, nil
}
