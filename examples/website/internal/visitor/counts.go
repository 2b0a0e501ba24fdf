package visitor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// mostAsked bounds how often more than its limit something may be taken and given back in a
// period.
const mostAsked = 10

// limit bounds how often a subject may do something in a period.
type limit struct {
	subject string // the visitor or address, and the action
	most    int64
}

// taking records what was taken from limits.
type taking struct {
	limits []limit
	until  int64 // the end of the period, in seconds since 1970
}

// errLimit reports that a limit is reached.
var errLimit = errors.New("the limit is reached")

// periodEnd returns the end of the period that contains at. Periods begin at multiples of their
// length since 1970: days at midnight UTC.
func periodEnd(at time.Time, length time.Duration) time.Time {
	return at.UTC().Truncate(length).Add(length)
}

// take takes one from each limit, or takes nothing and returns errLimit. Concurrent calls, in
// this process or in another, never take more than the limit. If also is not nil, it runs in
// the same transaction.
func (d *database) take(ctx context.Context, until time.Time, also func(context.Context, bun.Tx) error, limits ...limit) (*taking, error) {
	t := &taking{limits: slices.SortedFunc(slices.Values(limits), func(a, b limit) int { return cmp.Compare(a.subject, b.subject) }), until: until.Unix()}
	// Use a fixed order, so that two transactions cannot wait for each other.
	err := d.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		for _, l := range t.limits {
			if err := t.takeOne(ctx, tx, l); err != nil {
				return err
			}
		}
		if also != nil {
			return also(ctx, tx)
		}
		return nil
	})
	if errors.Is(err, errLimit) {
		return nil, errLimit
	}
	return t, wrap("counting", err)
}

func (t *taking) takeOne(ctx context.Context, tx bun.Tx, l limit) error {
	if l.most <= 0 {
		return errLimit
	}
	taken, err := tx.NewRaw(`INSERT INTO website_counts AS c (subject, expires_at, used, asked) VALUES (?, ?, 1, 1)
		ON CONFLICT (subject, expires_at) DO UPDATE SET used = c.used + 1, asked = c.asked + 1
		WHERE c.used < ? AND c.asked < ?`, l.subject, t.until, l.most, l.most*mostAsked).Exec(ctx)
	if n, _ := rowsOf(taken, err); err == nil && n == 0 {
		return errLimit
	}
	return err
}

// giveBack returns what was taken. The count of requests stays.
func (d *database) giveBack(ctx context.Context, t *taking) error {
	subjects := make([]string, len(t.limits))
	for i, l := range t.limits {
		subjects[i] = l.subject
	}
	err := d.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		for _, subject := range subjects { // in the same order as take
			_, err := tx.NewRaw("UPDATE website_counts SET used = used - 1 WHERE subject = ? AND expires_at = ? AND used > 0", subject, t.until).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("counting", err)
}

// used returns how much of a limit is taken.
func (d *database) used(ctx context.Context, until time.Time, subject string) (n int64, err error) {
	err = d.NewRaw("SELECT coalesce(sum(used), 0) FROM website_counts WHERE subject = ? AND expires_at = ?", subject, until.Unix()).Scan(ctx, &n)
	return n, wrap("counting", err)
}

// forgetTries forgets how often somebody has tried to sign in as a user.
func (d *database) forgetTries(ctx context.Context, folded string) error {
	as := signInAs(folded)
	_, err := d.NewRaw("DELETE FROM website_counts WHERE subject = ?0 OR substr(subject, 1, ?1) = ?2", as, len(as)+1, as+" ").Exec(ctx)
	return wrap("forgetting tries", err)
}

// signInAs begins the subjects of tries to sign in as a user.
func signInAs(folded string) string { return "sign-in as " + folded }
