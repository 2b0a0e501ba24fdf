package ask

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Lookup is a question that readers have put to a platform, through a process that
// can ask it.
type Lookup struct {
	ID         string `bun:",pk"` // UUIDv7; made when empty. Also the topic for Watch.
	Platform   transcript.Platform
	ExternalID string
	Languages  string // the canonical language list; "" where only the tracks are asked for
	SourceURL  string // the canonical link
	// Question is one of discovery, as JSON; empty: what the other members say is asked.
	// The ExternalID is then what tells the question from others.
	Question string
	Answer   *Answered // the best that is known so far; nil means that nothing is
	AskedAt  time.Time
	EndedAt  *time.Time // nil means that a better answer may come
}

// Answered is what a platform has answered to a Lookup. After an error the rest is
// what was learned before it.
type Answered struct {
	Metadata     transcript.Metadata `json:"metadata"`
	Tracks       []transcript.Track  `json:"tracks"`                 // nil if not known
	TranscriptID string              `json:"transcriptId,omitempty"` // the text of the track that was read
	Found        json.RawMessage     `json:"found,omitempty"`        // of discovery
	Error        *transcript.Error   `json:"error,omitempty"`
}

// Lookups are the lookups in a transaction.
type Lookups struct{ Tx *db.Tx }

// Put stores a question and reports true, or, where the same one is under way and
// was asked no longer ago than patience, makes l that one. One that was asked before that
// ends: its readers have gone. Id and time that are zero
// are filled in, the time by the database's clock.
func (ls Lookups) Put(ctx context.Context, l *Lookup, patience time.Duration) (asked bool, err error) {
	key := string(l.Platform) + "/" + l.ExternalID + "/" + l.Languages
	if err := ls.Tx.Lock(ctx, "lookup/"+key); err != nil {
		return false, err
	}
	now, err := ls.Tx.Now(ctx)
	if err != nil {
		return false, err
	}
	running := new(Lookup)
	err = sqldb.One("running lookup of "+l.ExternalID, ls.Tx.DB().NewSelect().Model(running).
		Where("platform = ? AND external_id = ? AND languages = ? AND ended_at IS NULL", l.Platform, l.ExternalID, l.Languages).
		Scan(ctx))
	switch {
	case err == nil && now.Sub(running.AskedAt) <= patience:
		*l = *running
		return false, nil
	case err == nil:
		if err := ls.end(ctx, running.ID, now); err != nil {
			return false, err
		}
	case !errors.Is(err, db.ErrNotFound):
		return false, err
	}
	if err := sqldb.NewID(&l.ID); err != nil {
		return false, err
	}
	if l.AskedAt.IsZero() {
		l.AskedAt = sqldb.Moment(now)
	}
	return true, sqldb.InsertNew(ctx, ls.Tx.DB(), "lookup", l)
}

func (ls Lookups) end(ctx context.Context, id string, at time.Time) error {
	_, err := ls.Tx.DB().NewUpdate().Model((*Lookup)(nil)).Set("ended_at = ?", sqldb.Moment(at)).Where("id = ?", id).Exec(ctx)
	ls.Tx.SQL().Wake(id)
	return sqldb.Wrap("end lookup "+id, err)
}

// LookupByID returns a question by id, or db.ErrNotFound.
func LookupByID(ctx context.Context, r db.Reader, id string) (*Lookup, error) {
	return sqldb.ScanOne[Lookup](ctx, r.DB().NewSelect().Where("id = ?", id), "lookup "+id)
}

// Answer stores an answer; last tells that there will be no better one. A
// question that has its last answer keeps it.
func (ls Lookups) Answer(ctx context.Context, id string, a Answered, last bool) error {
	a.Metadata = db.Clean(a.Metadata)
	l := &Lookup{ID: id, Answer: &a}
	q := ls.Tx.DB().NewUpdate().Model(l).Column("answer").Where("id = ? AND ended_at IS NULL", id)
	if last {
		now := sqldb.Moment(time.Now())
		l.EndedAt = &now
		q.Column("ended_at")
	}
	_, err := q.Exec(ctx)
	ls.Tx.SQL().Wake(id)
	return sqldb.Wrap("answer lookup "+id, err)
}
