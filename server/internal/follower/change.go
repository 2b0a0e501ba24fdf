package follower

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Get returns a follow of the account. The error is NOT_FOUND if the account has no such
// follow.
func (fs *Follows) Get(ctx context.Context, account, id string) (*follow.Follow, error) {
	f, err := owned(ctx, fs.cfg.Store, account, id)
	if err != nil {
		return nil, known(err)
	}
	return f.shown(), nil
}

// List returns at most n follows of the account, newest first. If before is not empty,
// List returns only follows that are older than the follow with this id.
func (fs *Follows) List(ctx context.Context, account, before string, n int) ([]follow.Follow, error) {
	rows, err := page(ctx, fs.cfg.Store, account, before, n)
	if err != nil {
		return nil, err
	}
	all := make([]follow.Follow, len(rows))
	for i := range rows {
		all[i] = *rows[i].shown()
	}
	return all, nil
}

// Items returns at most n items of the account's follow, newest first, and the position
// at which the next page begins, or 0 if there are no more. before is 0 at first. The
// error is NOT_FOUND as for Get.
func (fs *Follows) Items(ctx context.Context, account, id string, before int64, n int) ([]follow.Item, int64, error) {
	f, err := owned(ctx, fs.cfg.Store, account, id)
	if err != nil {
		return nil, 0, known(err)
	}
	rows := []history{}
	if f.Begun {
		if rows, err = items(ctx, fs.cfg.Store, f, before, n+1); err != nil {
			return nil, 0, err
		}
	}
	var next int64
	if len(rows) > n {
		rows = rows[:n]
		next = rows[n-1].Position
	}
	all := make([]follow.Item, len(rows))
	for i := range rows {
		all[i] = rows[i].shown(f)
	}
	return all, next, nil
}

// thereBefore is the reason for items that are older than the follow.
const thereBefore = "It was there before the follow."

// datedBefore is the reason for items that appear late, at the end of the feed.
const datedBefore = "It is dated before the follow."

func (h *history) shown(f *following) follow.Item {
	i := follow.Item{ID: strconv.FormatInt(h.Position, 10), PublishedAt: moment(h.PublishedAt), FoundAt: transcript.At(h.FoundAt)}
	if h.Platform != "" {
		i.Platform, i.ExternalID = &h.Platform, &h.ExternalID
	}
	if h.URL != "" {
		i.URL = &h.URL
	}
	if h.Title != "" {
		i.Title = &h.Title
	}
	switch {
	case h.Status != nil:
		i.Status = follow.ItemStatus(*h.Status)
		if *h.JobID != "" {
			i.JobID = h.JobID
		}
		if *h.Reason != "" {
			i.Reason = h.Reason
		}
	case h.Position <= f.Position:
		i.Status, i.Reason = follow.ItemSkipped, new(thereBefore)
	default:
		i.Status = follow.ItemWaiting
		if f.LastError != nil {
			i.Reason = &f.LastError.Message
		}
	}
	return i
}

// Pause pauses a follow of the account, or lets it continue where it stopped. From now
// on, the given plan is the plan of the account. The error is NOT_FOUND as for Get.
func (fs *Follows) Pause(ctx context.Context, account string, plan account.Plan, id string, paused bool) (*follow.Follow, error) {
	err := fs.change(ctx, account, plan, id, func(ctx context.Context, tx *db.Tx, f *following, _ int) error {
		now, err := fs.cfg.Now(ctx)
		if err != nil {
			return err
		}
		if f.Paused == paused {
			return nil
		}
		f.Paused, f.EndedAt, f.UpdatedAt, f.NextTakeAt = paused, nil, now, nil
		if !paused {
			f.NextTakeAt = &now
		}
		if err := saveFollow(ctx, tx, f); err != nil {
			return err
		}
		if paused {
			return leaveSource(ctx, tx, f.SourceID)
		}
		if err := fs.wakeSources(ctx, tx, []*source{f.Source}, now); err != nil {
			return err
		}
		if err := lineUp(ctx, tx, []string{f.SourceID}, account, now); err != nil {
			return err
		}
		return tx.Queue.Enqueue(ctx, Step{})
	})
	if err != nil {
		return nil, err
	}
	return fs.Get(ctx, account, id)
}

// Delete removes a follow of the account with its history. Its transcripts stay. The
// error is NOT_FOUND as for Get.
func (fs *Follows) Delete(ctx context.Context, account string, plan account.Plan, id string) error {
	return fs.change(ctx, account, plan, id, func(ctx context.Context, tx *db.Tx, f *following, have int) error {
		if err := deleteFollow(ctx, tx, f.ID); err != nil {
			return err
		}
		if err := leaveSource(ctx, tx, f.SourceID); err != nil {
			return err
		}
		return countFollows(ctx, tx, account, max(have-1, 0))
	})
}

// RemoveAll removes all follows of an account with their histories, and returns their
// number.
func (fs *Follows) RemoveAll(ctx context.Context, account string) (n int64, err error) {
	const some = 200
	for {
		follows, err := page(ctx, fs.cfg.Store, account, "", some)
		if err != nil || len(follows) == 0 {
			return n, err
		}
		for _, f := range follows {
			err := fs.cfg.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
				err := lockSource(ctx, tx, &source{ID: f.SourceID})
				if err == nil {
					err = deleteFollow(ctx, tx, f.ID)
				}
				if err == nil {
					err = leaveSource(ctx, tx, f.SourceID)
				}
				return err
			})
			if err != nil && !errors.Is(err, db.ErrNotFound) { // another process has removed it
				return n, err
			}
			n++
		}
	}
}

// change runs fn in a transaction that has locked a follow of an account and its source.
// have is the number of the account's follows.
func (fs *Follows) change(ctx context.Context, account string, plan account.Plan, id string,
	fn func(ctx context.Context, tx *db.Tx, f *following, have int) error,
) error {
	f, err := owned(ctx, fs.cfg.Store, account, id)
	if err != nil {
		return known(err)
	}
	err = fs.cfg.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		have, err := lockAccount(ctx, tx, account, plan)
		if err != nil {
			return err
		}
		s := &source{ID: f.SourceID}
		if err := lockSource(ctx, tx, s); err != nil {
			return err
		}
		locked, err := lockOwned(ctx, tx, account, id)
		if err != nil {
			return err
		}
		locked.Source = s
		return fn(ctx, tx, locked, have)
	})
	if err != nil {
		return fmt.Errorf("follows: changing a follow: %w", known(err))
	}
	return nil
}
