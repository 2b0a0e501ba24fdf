package follower

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// news is the result of a check.
type news struct {
	title          string
	items          []found // oldest first
	unchanged      bool
	etag, modified string
	moved          string // where permanent redirects led; "" means nowhere
	rules          rules
}

// errSlow means that a check takes too long for the quick line.
var errSlow = errors.New("follows: the look belongs into the slow line")

// look checks a source in a turn and writes the result. It reports whether it has found
// new items. Its error is one of the database.
func (lk *looker) look(ctx context.Context, step Step, s *source) (found bool, err error) {
	if err := lk.pace.Wait(ctx); err != nil {
		return false, fmt.Errorf("follows: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	}
	l := &look{source: s, place: lk.placeOf(step.Account), slow: step.Slow, start: time.Now()}
	defer l.place.end()
	if l.began, err = lk.Now(ctx); err != nil {
		return false, err
	}
	budget := lk.Slow
	if !step.Slow {
		budget = lk.Quick
	}
	within, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	err = attempt.Guard(func() (err error) {
		l.news, err = lk.read(throttle.InLine(within, s.ID), l)
		return err
	})
	after := context.WithoutCancel(ctx)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return false, fmt.Errorf("follows: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	case errors.Is(err, errNoPlace):
		return false, lk.slower(after, s, l.began)
	case err != nil && !step.Slow && within.Err() != nil:
		if err := lk.slowHost(after, step.Account, hostOf(s.FeedURL)); err != nil {
			return false, err
		}
		return false, lk.slower(after, s, l.began)
	case errors.Is(err, errSlow):
		return false, lk.slower(after, s, l.began)
	case err != nil && attempt.Own(err):
		return false, err
	case err != nil:
		return false, lk.failed(after, l, err)
	}
	return lk.write(after, l)
}

// look is a check of a source in the turn of an account.
type look struct {
	*source
	place  *place
	slow   bool      // the source is in the slow line
	start  time.Time // by the clock of this machine
	began  time.Time
	listed bool // a list was read
	news   *news
}

// full is the largest number of items in a platform's feed: a feed with fewer items has
// the whole list.
const full = 15

// read reads a source: its feed, or the list if there is no feed or if the feed does not
// show all new items.
func (lk *looker) read(ctx context.Context, s *look) (*news, error) {
	if s.FeedURL == "" {
		return lk.readList(ctx, s, longestList)
	}
	got, err := lk.fetch(ctx, s.place, s.FeedURL, s.ETag, s.Modified)
	if errors.Is(err, errNotAFeed) && s.Kind != follow.Feed && lk.canList(s.source) {
		return lk.readList(ctx, s, longestList)
	}
	if err != nil {
		return nil, err
	}
	if got.feed == nil {
		return &news{unchanged: true, etag: got.etag, modified: got.modified, moved: got.moved, rules: s.Rules}, nil
	}
	n := &news{title: got.feed.Title, etag: got.etag, modified: got.modified, moved: got.moved, rules: rulesOf(got.feed)}
	for _, i := range got.feed.Items {
		n.items = append(n.items, lk.foundInFeed(s.FeedURL, i))
	}
	if len(n.items) == 0 && s.LastEntry > 0 {
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed has no items any more.")
	}
	more, err := lk.hidesItems(ctx, s.source, n.items)
	if err != nil {
		return nil, err
	}
	if !more {
		oldestFirst(n.items, true)
		return n, nil
	}
	list, err := lk.readList(ctx, s, longestList)
	if err != nil {
		return nil, err // the check is repeated, because the feed alone would miss items
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

func (lk *looker) canList(s *source) bool {
	return lk.Lists != nil && lk.Lists.Lists(s.Platform)
}

// hidesItems reports whether the platform's feed of a list may not show all new items,
// and whether the list can be read: none of its items is known, or the first check needs
// more.
func (lk *looker) hidesItems(ctx context.Context, s *source, items []found) (bool, error) {
	if s.Kind == follow.Feed || len(items) < full || !lk.canList(s) {
		return false, nil
	}
	if s.Kind == follow.Playlist { // the feed has the first items of the list, and new items come last
		return true, nil
	}
	if s.LookedAt == nil {
		most, err := mostFirst(ctx, lk.Store, s.ID)
		return most > len(items), err
	}
	known, err := knownOf(ctx, lk.Store.SQL().Reader(), s.ID, items)
	return len(known) == 0, err
}

// readList reads a list up to a known entry, which takes seconds.
func (lk *looker) readList(ctx context.Context, s *look, most int) (*news, error) {
	if !s.slow {
		return nil, errSlow
	}
	s.listed = true
	have := map[string]bool{}
	if s.Kind == follow.Channel && s.LookedAt != nil { // a playlist is read to its end, because new items come last
		var err error
		if have, err = newestOf(ctx, lk.Store, s.ID, most); err != nil {
			return nil, err
		}
	}
	title, items, err := lk.listed(ctx, s.source, most, func(f found) bool { return have[f.guid] })
	if err != nil {
		return nil, err
	}
	if len(items) == 0 && s.LastEntry > 0 {
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The list has no items any more.")
	}
	oldestFirst(items, s.Kind == follow.Channel)
	return &news{title: title, items: items, rules: rules{Every: listEvery}}, nil
}

// write writes the result of a check, lets the follows of the source begin or continue,
// and reports whether there are new items.
func (lk *looker) write(ctx context.Context, l *look) (found bool, err error) {
	s, n := l.source, l.news
	err = lk.Store.InTx(db.Sized(ctx, len(n.items)*rowBytes), func(ctx context.Context, tx *db.Tx) error {
		locked := &source{ID: s.ID}
		if err := lockSource(ctx, tx, locked); err != nil {
			return err
		}
		now, err := lk.Now(ctx)
		if err != nil {
			return err
		}
		fresh, err := freshOf(ctx, tx, locked, n.items, now)
		if err != nil {
			return err
		}
		if found = len(fresh) > 0; found {
			if err := insertEntries(ctx, tx, fresh); err != nil {
				return err
			}
			locked.LastEntry, locked.NewAt = fresh[len(fresh)-1].Position, &now
		}
		if !n.unchanged {
			locked.ETag, locked.Modified, locked.Rules = n.etag, n.modified, n.rules
			if n.title != "" {
				locked.Title = n.title
			}
		}
		locked.LookedAt, locked.Failures, locked.FailingSince, locked.Told, locked.LastError = &now, 0, nil, false, nil
		next := lk.nextAfter(now, locked.Rules, 0)
		if locked.NextLookAt != nil { // otherwise the last follow was paused meanwhile
			locked.NextLookAt = &next
		}
		locked.LookingUntil = nil
		moved, err := lk.learn(ctx, tx, locked, n.moved)
		if err != nil {
			return err
		}
		if err := saveSource(ctx, tx, locked); err != nil {
			return err
		}
		if err := beginFollows(ctx, tx, locked, l.began, now, now.Add(lk.soonest())); err != nil {
			return err
		}
		return l.leaveLine(ctx, tx, locked, moved)
	})
	if errors.Is(err, db.ErrNotFound) { // the last follow was deleted meanwhile
		return false, nil
	}
	if err == nil && lk.Count.Looked != nil {
		outcome := metrics.Unchanged
		if found {
			outcome = metrics.FoundNew
		}
		lk.Count.Looked(outcome)
	}
	return found, err
}

// leaveLine removes the source of the check from its line. The next check waits in the quick
// line if this one was quick.
func (l *look) leaveLine(ctx context.Context, tx *db.Tx, s *source, moved moves) error {
	slow := l.slow && (l.listed || time.Since(l.start) > slowAnswer)
	return endLook(ctx, tx, &queued{SourceID: s.ID, Host: s.host(), Slow: slow, MovedTo: moved.to, MovedLooks: moved.looks})
}

// freshOf returns entries for the items that the source does not have yet.
func freshOf(ctx context.Context, tx *db.Tx, s *source, items []found, now time.Time) ([]entry, error) {
	known, err := knownOf(ctx, tx.SQL().Tx, s.ID, items)
	if err != nil {
		return nil, err
	}
	var fresh []entry
	oldest := 0 // the place of the oldest known item
	for i, f := range items {
		if known[f.guid] {
			oldest = i
			break
		}
	}
	for i, f := range items {
		if known[f.guid] {
			continue
		}
		known[f.guid] = true
		e := entry{
			SourceID: s.ID, Position: s.LastEntry + int64(len(fresh)) + 1, GUID: f.guid, Platform: f.content.Platform, ExternalID: f.content.ExternalID,
			URL: f.link, Title: f.title, Below: i < oldest, FoundAt: now,
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

// failed records that a check has failed. A source whose checks have failed for days then
// counts as failing, which is reported once.
func (lk *looker) failed(ctx context.Context, l *look, cause error) error {
	s := l.source
	coded := attempt.Coded(cause)
	begins := false
	err := lk.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		begins = false
		locked := &source{ID: s.ID}
		if err := lockSource(ctx, tx, locked); err != nil {
			return err
		}
		now, err := lk.Now(ctx)
		if err != nil {
			return err
		}
		locked.Failures++
		locked.LastError = attempt.Last(coded, locked.Failures, now)
		if locked.FailingSince == nil || locked.FailingSince.After(now) {
			locked.FailingSince = &now
		}
		if locked.Kind == follow.Feed {
			locked.FeedURL = locked.URL // the next check begins at the original address, because a feed that has moved may be back
		}
		if errors.Is(cause, errGone) && locked.Kind == follow.Feed {
			return lk.end(ctx, tx, l, locked, now)
		}
		next := lk.nextAfter(now, rules{}, locked.Failures)
		if asked := now.Add(min(time.Duration(coded.RetryAfter)*time.Second, longestPause)); asked.After(next) {
			next = asked
		}
		if locked.NextLookAt != nil {
			locked.NextLookAt = &next
		}
		locked.LookingUntil = nil
		if !locked.Told && locked.Failures >= fewestFailures && now.Sub(*locked.FailingSince) >= lk.FailAfter {
			locked.Told, begins = true, true
			if err := lk.tell(ctx, tx, locked); err != nil {
				return err
			}
		}
		if err := saveSource(ctx, tx, locked); err != nil {
			return err
		}
		return l.leaveLine(ctx, tx, locked, moves{})
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	lk.Log.WarnContext(ctx, "a followed address could not be read", "source", s.ID, "kind", s.Kind, "host", hostOf(s.URL), "failures", s.Failures+1, "err", cause)
	if begins {
		lk.Log.ErrorContext(ctx, "a followed address has failed for days", "source", s.ID, "kind", s.Kind, "host", hostOf(s.URL), "failures", s.Failures+1, "err", cause)
		if lk.Count.Failing != nil {
			lk.Count.Failing()
		}
	}
	if lk.Count.Looked != nil {
		lk.Count.Looked(metrics.Failed)
	}
	return nil
}

// end ends the active follows of a source that its publisher has ended: they are paused, and
// the end is reported once.
func (lk *looker) end(ctx context.Context, tx *db.Tx, l *look, s *source, now time.Time) error {
	if err := lk.tell(ctx, tx, s); err != nil {
		return err
	}
	var ended []struct{ ID, Account string }
	err := tx.SQL().NewRaw("UPDATE follows SET paused = ?, ended_at = ?, next_take_at = NULL WHERE source_id = ? AND NOT paused RETURNING id, account",
		true, sqldb.Moment(now), s.ID).Scan(ctx, &ended)
	if err != nil {
		return sqldb.Wrap("end follows", err)
	}
	s.NextLookAt, s.LookingUntil = nil, nil
	if err := saveSource(ctx, tx, s); err != nil {
		return err
	}
	if err := l.leaveLine(ctx, tx, s, moves{}); err != nil || lk.Webhooks == nil {
		return err
	}
	ids := map[string][]string{}
	for _, f := range ended {
		ids[f.Account] = append(ids[f.Account], f.ID)
	}
	return lk.Webhooks.FollowsEnded(ctx, tx, ids)
}

// fewestFailures is how many checks must have failed before a source counts as failing.
const fewestFailures = 3

// tell queues the calls of the hook for the active follows of a source that fails.
func (lk *looker) tell(ctx context.Context, tx *db.Tx, s *source) error {
	if lk.Failing == nil {
		return nil
	}
	ids, err := activeOf(ctx, tx, s.ID)
	if err != nil {
		return err
	}
	for id := range slices.Values(ids) {
		if err := lk.Failing(ctx, tx, id); err != nil {
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
