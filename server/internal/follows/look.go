package follows

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// news is what a look brings.
type news struct {
	title          string
	items          []found // oldest first
	unchanged      bool
	etag, modified string
	rules          rules
}

// look looks at a source and writes what it finds. Its error is one of the database.
func (fs *Follows) look(ctx context.Context, s *source) error {
	if err := fs.pace.Wait(ctx); err != nil {
		return fmt.Errorf("follows: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	}
	began, err := fs.now(ctx)
	if err != nil {
		return err
	}
	var n *news
	err = fault.Guard(func() (err error) {
		n, err = fs.read(throttle.InLine(ctx, s.ID), s)
		return err
	})
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("follows: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
	case err != nil && fault.Own(err):
		return err
	case err != nil:
		return fs.failed(context.WithoutCancel(ctx), s, err)
	}
	return fs.write(context.WithoutCancel(ctx), s, n, began)
}

// full is how many items the feed of a platform has at most: a feed with fewer items has
// the whole list.
const full = 15

// read reads a source: its feed, or the list where there is no feed or the feed does not
// show all that is new.
func (fs *Follows) read(ctx context.Context, s *source) (*news, error) {
	if s.FeedURL == "" {
		return fs.readList(ctx, s, longestList)
	}
	got, err := fs.fetch(ctx, s.FeedURL, s.ETag, s.Modified)
	if errors.Is(err, errNotAFeed) && s.Kind != batch.FollowFeed && fs.canList(s) {
		return fs.readList(ctx, s, longestList)
	}
	if err != nil {
		return nil, err
	}
	if got.feed == nil {
		return &news{unchanged: true, etag: got.etag, modified: got.modified, rules: s.Rules}, nil
	}
	n := &news{title: got.feed.Title, etag: got.etag, modified: got.modified, rules: rulesOf(got.feed)}
	for _, i := range got.feed.Items {
		n.items = append(n.items, fs.foundInFeed(s.FeedURL, i))
	}
	if len(n.items) == 0 && s.LastEntry > 0 {
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed has no items any more.")
	}
	more, err := fs.hidesItems(ctx, s, n.items)
	if err != nil {
		return nil, err
	}
	if !more {
		oldestFirst(n.items, true)
		return n, nil
	}
	list, err := fs.readList(ctx, s, longestList)
	if err != nil {
		return nil, err // the look is repeated: the feed alone would miss items
	}
	list.title, list.etag, list.modified, list.rules = n.title, n.etag, n.modified, n.rules
	dates := map[string]found{}
	for _, i := range n.items {
		dates[i.guid] = i
	}
	for i := range list.items {
		if known, ok := dates[list.items[i].guid]; ok {
			list.items[i].title, list.items[i].published = known.title, known.published
		}
	}
	return list, nil
}

func (fs *Follows) canList(s *source) bool {
	return fs.cfg.Lists != nil && fs.cfg.Lists.Lists(s.Platform)
}

// hidesItems reports whether the platform's feed of a list may not show all that is new,
// and the list can be read: none of its items is known, or the first look wants more.
func (fs *Follows) hidesItems(ctx context.Context, s *source, items []found) (bool, error) {
	if s.Kind == batch.FollowFeed || len(items) < full || !fs.canList(s) {
		return false, nil
	}
	if s.Kind == batch.FollowPlaylist { // the feed has its first items, and new ones come last
		return true, nil
	}
	if s.LookedAt == nil {
		most, err := mostFirst(ctx, fs.store, s.ID)
		return most > len(items), err
	}
	known, err := knownOf(ctx, fs.store.SQL().Reader(), s.ID, items)
	return len(known) == 0, err
}

// readList reads a list up to an entry that is known.
func (fs *Follows) readList(ctx context.Context, s *source, most int) (*news, error) {
	have := map[string]bool{}
	if s.Kind == batch.FollowChannel && s.LookedAt != nil { // a playlist is read to its end: new items come last
		var err error
		if have, err = newestOf(ctx, fs.store, s.ID, most); err != nil {
			return nil, err
		}
	}
	title, items, err := fs.listed(ctx, s, most, func(f found) bool { return have[f.guid] })
	if err != nil {
		return nil, err
	}
	if len(items) == 0 && s.LastEntry > 0 {
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The list has no items any more.")
	}
	oldestFirst(items, s.Kind == batch.FollowChannel)
	return &news{title: title, items: items, rules: rules{Every: listEvery}}, nil
}

// write writes what a look has found, and lets the follows of the source begin or go on.
func (fs *Follows) write(ctx context.Context, s *source, n *news, began time.Time) error {
	outcome := metrics.Unchanged
	err := fs.store.InTx(db.Sized(ctx, len(n.items)*rowBytes), func(ctx context.Context, tx *db.Tx) error {
		locked := &source{ID: s.ID}
		if err := lockSource(ctx, tx, locked); err != nil {
			return err
		}
		now, err := fs.now(ctx)
		if err != nil {
			return err
		}
		fresh, err := freshOf(ctx, tx, locked, n.items, now)
		if err != nil {
			return err
		}
		if len(fresh) > 0 {
			if err := insertEntries(ctx, tx, fresh); err != nil {
				return err
			}
			outcome = metrics.FoundNew
			locked.LastEntry, locked.NewAt = fresh[len(fresh)-1].Position, &now
		}
		if !n.unchanged {
			locked.ETag, locked.Modified, locked.Rules = n.etag, n.modified, n.rules
			if n.title != "" {
				locked.Title = n.title
			}
		}
		locked.LookedAt, locked.Failures, locked.FailingSince, locked.Told, locked.LastError = &now, 0, nil, false, nil
		next := fs.nextAfter(now, locked.Rules, 0)
		if locked.NextLookAt != nil { // else the last follow has been paused meanwhile
			locked.NextLookAt = &next
		}
		locked.LookingUntil = nil
		if err := saveSource(ctx, tx, locked); err != nil {
			return err
		}
		return beginFollows(ctx, tx, locked, began, now, now.Add(fs.soonest()))
	})
	if errors.Is(err, db.ErrNotFound) { // the last follow was deleted meanwhile
		return nil
	}
	if err == nil && fs.cfg.Count.Looked != nil {
		fs.cfg.Count.Looked(outcome)
	}
	return err
}

// freshOf are the entries of items that the source does not have yet.
func freshOf(ctx context.Context, tx *db.Tx, s *source, items []found, now time.Time) ([]entry, error) {
	known, err := knownOf(ctx, tx.SQL().Tx, s.ID, items)
	if err != nil {
		return nil, err
	}
	var fresh []entry
	last := -1 // the newest item that is known
	for i, f := range items {
		if known[f.guid] {
			last = i
		}
	}
	for i, f := range items {
		if known[f.guid] {
			continue
		}
		known[f.guid] = true
		e := entry{
			SourceID: s.ID, Position: s.LastEntry + int64(len(fresh)) + 1, GUID: f.guid, Platform: f.content.Platform, ExternalID: f.content.ExternalID,
			URL: f.link, Title: f.title, Below: i < last, FoundAt: now,
		}
		if f.content.URL != "" {
			e.URL = f.content.URL
		}
		if !f.published.IsZero() {
			e.PublishedAt = &f.published
		}
		fresh = append(fresh, e)
	}
	return fresh, nil
}

// failed notes that a look has failed. A source whose looks have failed for days counts as
// failing from then on, which is told once.
func (fs *Follows) failed(ctx context.Context, s *source, cause error) error {
	coded := fault.Coded(cause)
	begins := false
	err := fs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		begins = false
		locked := &source{ID: s.ID}
		if err := lockSource(ctx, tx, locked); err != nil {
			return err
		}
		now, err := fs.now(ctx)
		if err != nil {
			return err
		}
		locked.Failures++
		locked.LastError = fault.Last(coded, locked.Failures, now)
		if locked.FailingSince == nil || locked.FailingSince.After(now) {
			locked.FailingSince = &now
		}
		next := fs.nextAfter(now, rules{}, locked.Failures)
		if asked := now.Add(min(time.Duration(coded.RetryAfter)*time.Second, longestPause)); asked.After(next) {
			next = asked
		}
		if locked.NextLookAt != nil {
			locked.NextLookAt = &next
		}
		locked.LookingUntil = nil
		if !locked.Told && locked.Failures >= fewestFailures && now.Sub(*locked.FailingSince) >= fs.cfg.FailAfter {
			locked.Told, begins = true, true
			if err := fs.tell(ctx, tx, locked); err != nil {
				return err
			}
		}
		return saveSource(ctx, tx, locked)
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	fs.log.WarnContext(ctx, "a followed address could not be read", "source", s.ID, "kind", s.Kind, "host", hostOf(s.URL), "failures", s.Failures+1, "err", cause)
	if begins {
		fs.log.ErrorContext(ctx, "a followed address has failed for days", "source", s.ID, "kind", s.Kind, "host", hostOf(s.URL), "failures", s.Failures+1, "err", cause)
		if fs.cfg.Count.Failing != nil {
			fs.cfg.Count.Failing()
		}
	}
	if fs.cfg.Count.Looked != nil {
		fs.cfg.Count.Looked(metrics.Failed)
	}
	return nil
}

// fewestFailures is how many looks must have failed before a source counts as failing.
const fewestFailures = 3

// tell queues the calls of the hook for the active follows of a source that fails.
func (fs *Follows) tell(ctx context.Context, tx *db.Tx, s *source) error {
	if fs.cfg.Failing == nil {
		return nil
	}
	ids, err := activeOf(ctx, tx, s.ID)
	if err != nil {
		return err
	}
	for id := range slices.Values(ids) {
		if err := fs.cfg.Failing(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// hostOf returns the host of an address for the log. The path of a private feed is a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
