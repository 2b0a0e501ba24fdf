package visitor

import (
	"context"
	"time"

	"github.com/alexedwards/scs/v2"
)

// The times of a session.
const (
	SessionIdle  = sessionIdle
	SessionNoted = sessionNoted
)

// SessionStore is where the sessions are kept.
func (v *Visitors) SessionStore() scs.CtxStore { return sessionStore{v.db} }

// UsedAt sets when a session was used last.
func (v *Visitors) UsedAt(ctx context.Context, token string, at time.Time) error {
	_, err := v.db.NewUpdate().Model((*session)(nil)).Set("used_at = ?", at.Unix()).Where("token = ?", token).Exec(ctx)
	return err
}

// Passwords hashes and checks passwords at a cost of the test's choice.
type Passwords struct{ *passwords }

// NewPasswords makes Passwords.
func NewPasswords(memory, passes uint32) Passwords {
	return Passwords{newPasswords(cost{memory, passes, 1})}
}

// Hash is hash.
func (p Passwords) Hash(ctx context.Context, password string) (string, error) {
	return p.hash(ctx, false, password)
}

// Check is check.
func (p Passwords) Check(ctx context.Context, kept, password string) (right, cheap bool, err error) {
	return p.check(ctx, false, kept, password)
}

// Occupy takes all turns, until it is released.
func (p Passwords) Occupy(ctx context.Context) (release func(), err error) {
	n := int64(turns())
	return func() { p.turns.Release(n) }, p.turns.Acquire(ctx, n)
}

// OccupyPasswords takes all turns, and all places in the line of strangers, until it is
// released.
func (v *Visitors) OccupyPasswords(ctx context.Context) (release func(), err error) {
	p := v.passwords
	places := int64(turns() + mostWaiting)
	if err := p.lines[false].Acquire(ctx, places); err != nil {
		return nil, err
	}
	again, err := Passwords{p}.Occupy(ctx)
	return func() { again(); p.lines[false].Release(places) }, err
}

// HashAt sets the cost of new passwords. It is called before anybody signs up or in.
func (v *Visitors) HashAt(memory, passes uint32) {
	v.passwords = NewPasswords(memory, passes).passwords
}

// KeepPassword puts the hash of a password in the place of a user's.
func (v *Visitors) KeepPassword(ctx context.Context, name, hash string) error {
	u, err := v.db.user(ctx, name)
	if err != nil {
		return err
	}
	return v.db.keepPassword(ctx, u, hash)
}
