package visitor

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// Person is a user as an operator sees one.
type Person struct {
	Name      string
	CreatedAt time.Time
	Admin     bool // whether the user is an administrator

	row user
}

// ErrNoUser reports that there is no such user.
var ErrNoUser = errNoUser

// Users returns all users by name.
func (v *Visitors) Users(ctx context.Context) ([]Person, error) {
	rows, err := v.db.users(ctx)
	all := make([]Person, len(rows))
	for i, row := range rows {
		all[i] = person(row)
	}
	return all, err
}

func person(row user) Person {
	return Person{row.Name, time.Unix(row.CreatedAt, 0).UTC(), row.Admin, row}
}

// AddUser adds a user, and an account of the same name if the service has none yet. If the
// account exists, the user gets access to it. The errors are ErrName, ErrPassword and ErrTaken.
func (v *Visitors) AddUser(ctx context.Context, name, password string) (Person, error) {
	if err := errors.Join(checkName(name), checkPassword(password)); err != nil {
		return Person{}, err
	}
	if _, err := v.db.user(ctx, name); err == nil {
		return Person{}, ErrTaken
	} else if !errors.Is(err, errNoUser) {
		return Person{}, err
	}
	hash, err := v.passwords.hash(ctx, false, password)
	if err != nil {
		return Person{}, err
	}
	// Add the user first: if the account cannot be made now, the first sign-in makes it. An
	// account without a user would count as another person's account.
	row, err := v.db.addUser(ctx, name, hash)
	if err == nil {
		_, err = v.o.Accounts.Set(ctx, name, account.Settings{})
	}
	if errors.Is(err, errIsAUser) {
		return Person{}, ErrTaken
	}
	return person(row), err
}

// SetPassword changes a user's password, and ends the user's sessions. The errors are ErrNoUser
// and ErrPassword.
func (v *Visitors) SetPassword(ctx context.Context, name, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := v.passwords.hash(ctx, true, password)
	if err != nil {
		return err
	}
	if err := v.db.setPassword(ctx, name, hash, rand.Text()); err != nil {
		return err
	}
	return v.db.forgetKnown(ctx, fold(name))
}

// User returns the user with a name, without regard to case. The error is ErrNoUser if there is none.
func (v *Visitors) User(ctx context.Context, name string) (Person, error) {
	row, err := v.db.user(ctx, name)
	return person(row), err
}

// RemoveUser removes a user's access, and everything that the website keeps of the user: sessions,
// the marks of browsers and networks, and the counts of tries to sign in. The account stays, with
// its texts and keys. The error is ErrNoUser if there is no such user; what an earlier call that
// failed has left is removed all the same.
func (v *Visitors) RemoveUser(ctx context.Context, name string) error {
	missing := v.db.removeUser(ctx, name)
	if missing != nil && !errors.Is(missing, errNoUser) {
		return missing
	}
	folded := fold(name)
	if err := errors.Join(v.db.forgetKnown(ctx, folded), v.db.forgetSessions(ctx, folded), v.db.forgetTries(ctx, folded)); err != nil {
		return err
	}
	return missing
}
