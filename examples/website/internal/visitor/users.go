package visitor

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// user is a person who signs in with a password.
type user struct {
	bun.BaseModel `bun:"table:website_users"`

	Folded    string `bun:",pk"`
	Name      string // also the name of the account
	Password  string // its hash
	Sessions  string // the value that valid sessions hold
	Admin     bool
	CreatedAt int64
}

var (
	errNoUser  = errors.New("there is no such user")
	errIsAUser = errors.New("there is a user of that name")
)

// fold returns the form of a name for lookups. Names are ASCII.
func fold(name string) string { return strings.ToLower(name) }

// user returns a user by name, without regard to case; errNoUser if there is none.
func (d *database) user(ctx context.Context, name string) (u user, err error) {
	err = d.NewSelect().Model(&u).Where("folded = ?", fold(name)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return user{}, errNoUser
	}
	return u, wrap("looking up a user", err)
}

// users returns all users by name.
func (d *database) users(ctx context.Context) (all []user, err error) {
	err = d.NewSelect().Model(&all).Order("folded").Scan(ctx)
	return all, wrap("listing users", err)
}

// addUser adds a user with the hash of a password; errIsAUser if the user exists.
func (d *database) addUser(ctx context.Context, name, hash string) (user, error) {
	u := user{Folded: fold(name), Name: name, Password: hash, Sessions: rand.Text(), CreatedAt: time.Now().Unix()}
	added, err := d.NewInsert().Model(&u).On("CONFLICT (folded) DO NOTHING").Returning("NULL").Exec(ctx)
	switch n, _ := rowsOf(added, err); {
	case err != nil:
		return user{}, wrap("adding a user", err)
	case n == 0:
		return user{}, errIsAUser
	}
	return u, nil
}

// keepPassword replaces the hash of a password by a more expensive one, unless the password has
// changed since.
func (d *database) keepPassword(ctx context.Context, u user, hash string) error {
	_, err := d.NewUpdate().Model(&u).Set("password = ?", hash).Where("folded = ? AND password = ?", u.Folded, u.Password).Exec(ctx)
	return wrap("keeping a password", err)
}

// setPassword changes a password, unless the hash is empty, and ends all sessions that hold
// another value than sessions. The error is errNoUser if there is no such user.
func (d *database) setPassword(ctx context.Context, name, hash, sessions string) error {
	q := d.NewUpdate().Model((*user)(nil)).Set("sessions = ?", sessions).Where("folded = ?", fold(name))
	if hash != "" {
		q.Set("password = ?", hash)
	}
	changed, err := q.Exec(ctx)
	if n, _ := rowsOf(changed, err); err == nil && n == 0 {
		return errNoUser
	}
	return wrap("changing a user", err)
}

// removeUser removes the user; the account stays.
func (d *database) removeUser(ctx context.Context, name string) error {
	gone, err := d.NewDelete().Model((*user)(nil)).Where("folded = ?", fold(name)).Exec(ctx)
	if n, _ := rowsOf(gone, err); err == nil && n == 0 {
		return errNoUser
	}
	return wrap("removing a user", err)
}

// rowsOf returns how many rows were changed.
func rowsOf(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("visitor: %s: %w", doing, err)
}
