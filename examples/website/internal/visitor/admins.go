package visitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// deedLifetime is how long the website remembers what an administrator did.
const deedLifetime = 365 * 24 * time.Hour

// Admins knows the administrators, and what they did.
type Admins struct{ v *Visitors }

// Set gives a user the role of an administrator, or takes it away. The user's sessions go on,
// and have the other rights from their next request. The error is ErrNoUser if there is no such
// user.
func (a Admins) Set(ctx context.Context, name string, is bool) error {
	changed, err := a.v.db.NewUpdate().Model((*user)(nil)).Set("admin = ?", is).Where("folded = ?", fold(name)).Exec(ctx)
	if n, _ := rowsOf(changed, err); err == nil && n == 0 {
		return errNoUser
	}
	return wrap("changing the role of a user", err)
}

// IsLast reports whether a user is the only administrator who can sign in: those whose
// accounts are suspended cannot.
func (a Admins) IsLast(ctx context.Context, name string) (bool, error) {
	var admins []user
	if err := a.v.db.NewSelect().Model(&admins).Where("admin").Scan(ctx); err != nil {
		return false, wrap("looking for administrators", err)
	}
	is := false
	for _, u := range admins {
		switch err := a.v.mayUse(ctx, u.Name); {
		case errors.Is(err, errNoUser):
		case err != nil:
			return false, err
		case u.Folded != fold(name):
			return false, nil
		default:
			is = true
		}
	}
	return is, nil
}

// Deed is a change that an administrator made to an account.
type Deed struct {
	bun.BaseModel `bun:"table:website_deeds"`

	ID        string `bun:",pk"` // made by Note; deeds are in the order of their ids
	Admin     string // the name of the administrator
	Action    string // what was done, such as "plan"
	Account   string // the name of the account
	Detail    string // such as the name of the plan; may be empty
	At        int64  // seconds since 1970, set by Note
	ExpiresAt int64  // as At
}

// Time returns when the administrator did it.
func (d Deed) Time() time.Time { return time.Unix(d.At, 0).UTC() }

// Note remembers a deed for a year. Call Note before the change, so that no change goes unnoted.
func (a Admins) Note(ctx context.Context, d Deed) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("visitor: %w", err)
	}
	d.ID, d.At, d.ExpiresAt = id.String(), a.v.o.Now().Unix(), a.v.o.Now().Add(deedLifetime).Unix()
	_, err = a.v.db.NewInsert().Model(&d).Exec(ctx)
	return wrap("noting what an administrator does", err)
}

// Deeds returns at most n deeds, the latest first. If before is not empty, it returns those before
// the deed with that id.
func (a Admins) Deeds(ctx context.Context, before string, n int64) (all []Deed, err error) {
	q := a.v.db.NewSelect().Model(&all).Order("id DESC").Limit(n)
	if before != "" {
		q.Where("id < ?", before)
	}
	return all, wrap("reading what administrators did", q.Scan(ctx))
}
