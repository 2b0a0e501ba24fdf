package follower

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// address identifies a source.
type address struct {
	Kind follow.Kind
	URL  string
}

func (w Want) address() address {
	if w.Kind == follow.Feed {
		return address{w.Kind, w.URL}
	}
	return address{w.Kind, w.List.URL}
}

func (a address) compare(b address) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.URL, b.URL))
}

// make makes the follows of a request in a transaction. A list takes few statements, so that
// 1,000 rows do not block the other writers of the database.
func (fs *Follows) make(ctx context.Context, tx *db.Tx, r Request, now time.Time) ([]note, error) {
	have, err := lockAccount(ctx, tx, r.Account, r.Plan)
	if err != nil {
		return nil, err
	}
	sources, err := fs.putSources(ctx, tx, r.Wants, now)
	if err != nil {
		return nil, err
	}
	follows, err := equalFollows(ctx, tx, r, sources)
	if err != nil {
		return nil, err
	}
	notes := make([]note, len(r.Wants))
	var fresh []following
	var due []string
	for i, w := range r.Wants {
		if w.Err != nil {
			notes[i].Err = w.Err
			continue
		}
		src := sources[w.address()]
		if id, ok := follows[src.ID]; ok {
			notes[i].ID = id
			continue
		}
		if r.Plan.Follows != account.Unlimited && have >= r.Plan.Follows {
			notes[i].Err = r.Plan.UpgradeRequired(fmt.Sprintf("The plan permits %d follows, and the account has them.", r.Plan.Follows))
			continue
		}
		have++
		f := following{
			Account: r.Account, SourceID: src.ID, Languages: r.Languages.String(), MaxItems: r.MaxItems, Trace: fs.cfg.Trace(ctx),
			CreatedAt: sqldb.Moment(now), UpdatedAt: sqldb.Moment(now),
		}
		if err := sqldb.NewID(&f.ID); err != nil {
			return nil, err
		}
		fresh, due = append(fresh, f), append(due, src.ID)
		notes[i], follows[src.ID] = note{ID: f.ID, Created: true}, f.ID
	}
	for some := range slices.Chunk(fresh, atOnce) {
		if _, err := tx.SQL().NewInsert().Model(&some).Exec(ctx); err != nil {
			return nil, sqldb.Wrap("insert follows", err)
		}
	}
	if err := lineUp(ctx, tx, due, r.Account, now); err != nil {
		return nil, err
	}
	return notes, countFollows(ctx, tx, r.Account, have)
}

// equalFollows returns the ids of the account's follows of some sources in the languages of a
// request, by their sources.
func equalFollows(ctx context.Context, tx *db.Tx, r Request, sources map[address]*source) (map[string]string, error) {
	var ids []string
	for _, s := range sources {
		ids = append(ids, s.ID)
	}
	equal := map[string]string{}
	for some := range slices.Chunk(ids, atOnce) {
		var rows []following
		err := tx.SQL().NewSelect().Model(&rows).Column("id", "source_id").
			Where("account = ? AND source_id IN (?) AND languages = ?", r.Account, bun.List(some), r.Languages.String()).Scan(ctx)
		if err != nil {
			return nil, sqldb.Wrap("equal follows", err)
		}
		for _, f := range rows {
			equal[f.SourceID] = f.ID
		}
	}
	return equal, nil
}

// putSources returns the sources of addresses, locked. The sources are due for a check.
func (fs *Follows) putSources(ctx context.Context, tx *db.Tx, wants []Want, now time.Time) (map[address]*source, error) {
	wanted := map[address]Want{}
	for _, w := range wants {
		if _, known := wanted[w.address()]; w.Err == nil && !known {
			wanted[w.address()] = w
		}
	}
	sources := map[address]*source{}
	// Another account may delete its last follow of a source between the insert and the lock. A
	// deleted source is inserted again, and the transaction then holds it.
	for range 2 {
		var ids []string
		for some := range slices.Chunk(missingOf(wanted, sources), atOnce) {
			found, err := fs.insertSources(ctx, tx, wanted, some, now)
			if err != nil {
				return nil, err
			}
			ids = append(ids, found...)
		}
		if err := lockSources(ctx, tx, ids, sources); err != nil {
			return nil, err
		}
	}
	if missing := missingOf(wanted, sources); len(missing) > 0 {
		return nil, fmt.Errorf("followed source: %w", db.ErrNotFound)
	}
	return sources, fs.wakeSources(ctx, tx, slices.Collect(maps.Values(sources)), now)
}

// missingOf returns the wanted addresses that have no source yet, in the order in which all
// transactions insert sources, so that no two transactions wait for each other.
func missingOf(wanted map[address]Want, sources map[address]*source) (missing []address) {
	for a := range wanted {
		if sources[a] == nil {
			missing = append(missing, a)
		}
	}
	slices.SortFunc(missing, address.compare)
	return missing
}

// insertSources inserts sources for addresses that have none, and returns the ids of all
// sources.
func (fs *Follows) insertSources(ctx context.Context, tx *db.Tx, wanted map[address]Want, addresses []address, now time.Time) (ids []string, err error) {
	rows, urls := make([]source, len(addresses)), map[follow.Kind][]string{}
	for i, a := range addresses {
		w := wanted[a]
		rows[i] = source{
			Kind: w.Kind, Platform: w.List.Platform, ListID: w.List.ExternalID, URL: a.URL, FeedURL: w.URL, Title: sqldb.Text(w.Title), CreatedAt: now,
		}
		if w.Kind != follow.Feed {
			rows[i].FeedURL = fs.feedOf(w)
		}
		if err := sqldb.NewID(&rows[i].ID); err != nil {
			return nil, err
		}
		urls[a.Kind] = append(urls[a.Kind], a.URL)
	}
	if _, err := tx.SQL().NewInsert().Model(&rows).On("CONFLICT (kind, url) DO NOTHING").Exec(ctx); err != nil {
		return nil, sqldb.Wrap("insert followed sources", err)
	}
	for kind, some := range urls {
		var found []string
		if err := tx.SQL().NewSelect().Model((*source)(nil)).Column("id").Where("kind = ? AND url IN (?)", kind, bun.List(some)).Scan(ctx, &found); err != nil {
			return nil, sqldb.Wrap("followed sources", err)
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// lockSources locks sources in the order of their ids, and adds the existing ones to sources.
func lockSources(ctx context.Context, tx *db.Tx, ids []string, sources map[address]*source) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []source
	if err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Order("id")).Scan(ctx); err != nil {
		return sqldb.Wrap("lock followed sources", err)
	}
	for i := range rows {
		sources[address{rows[i].Kind, rows[i].URL}] = &rows[i]
	}
	return nil
}

// wakeSources makes locked sources due for a check. Most of them are due now.
func (fs *Follows) wakeSources(ctx context.Context, tx *db.Tx, sources []*source, now time.Time) error {
	due := map[time.Time][]string{}
	for _, s := range sources {
		if at := s.wakeAt(now, fs.cfg.soonest()); at != nil {
			due[*at] = append(due[*at], s.ID)
		}
	}
	for at, ids := range due {
		if _, err := tx.SQL().NewRaw("UPDATE follow_sources SET next_look_at = ? WHERE id IN (?)", at, bun.List(ids)).Exec(ctx); err != nil {
			return sqldb.Wrap("wake followed sources", err)
		}
	}
	return nil
}

// wakeAt is the time to which a follow moves the next check of the source: now, but not sooner
// than soonest after the previous check. nil means that the next check does not move.
func (s *source) wakeAt(now time.Time, soonest time.Duration) *time.Time {
	at := now
	if s.LookedAt != nil && s.LookedAt.Add(soonest).After(at) && !s.LookedAt.After(now) {
		at = s.LookedAt.Add(soonest)
	}
	if s.NextLookAt != nil && (s.Failures > 0 || !s.NextLookAt.After(at)) { // a publisher whose checks fail is not asked more often
		return nil
	}
	return new(sqldb.Moment(at))
}
