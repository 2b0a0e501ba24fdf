package db

import (
	"context"
	"encoding/json"
	"errors"
	"time"

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
	Answer   *Answered // the best that is known so far; nil: nothing is
	AskedAt  time.Time
	EndedAt  *time.Time // nil: a better answer may come
}

// Answered is what a platform has answered to a Lookup. After an error the rest is
// what was learned before it.
type Answered struct {
	Metadata     transcript.Metadata `json:"metadata"`
	Tracks       []transcript.Track  `json:"tracks"`                 // nil: not known
	TranscriptID string              `json:"transcriptId,omitempty"` // the text of the track that was read
	Found        json.RawMessage     `json:"found,omitempty"`        // of discovery
	Error        *transcript.Error   `json:"error,omitempty"`
}

// Lookups reads lookups.
type Lookups struct{ *source }

// LookupsTx reads and changes lookups.
type LookupsTx struct {
	Lookups
	tx *Tx
}

// Put stores a question and reports true, or, where the same one is under way and
// was asked no longer ago than patience, makes l that one. One that was asked before that
// ends: its readers have gone. Id and time that are zero
// are filled in, the time by the database's clock.
func (w LookupsTx) Put(ctx context.Context, l *Lookup, patience time.Duration) (asked bool, err error) {
	key := string(l.Platform) + "/" + l.ExternalID + "/" + l.Languages
	if err := w.tx.Lock(ctx, "lookup/"+key); err != nil {
		return false, err
	}
	now, err := w.tx.Now(ctx)
	if err != nil {
		return false, err
	}
	running := new(Lookup)
	err = one("running lookup of "+l.ExternalID, w.db.NewSelect().Model(running).
		Where("platform = ? AND external_id = ? AND languages = ? AND ended_at IS NULL", l.Platform, l.ExternalID, l.Languages).
		Scan(ctx))
	switch {
	case err == nil && now.Sub(running.AskedAt) <= patience:
		*l = *running
		return false, nil
	case err == nil:
		if err := w.end(ctx, running.ID, now); err != nil {
			return false, err
		}
	case !errors.Is(err, ErrNotFound):
		return false, err
	}
	if err := sqldb.NewID(&l.ID); err != nil {
		return false, err
	}
	if l.AskedAt.IsZero() {
		l.AskedAt = sqldb.Moment(now)
	}
	return true, insertNew(ctx, w.db, "lookup", l)
}

func (w LookupsTx) end(ctx context.Context, id string, at time.Time) error {
	_, err := w.db.NewUpdate().Model((*Lookup)(nil)).Set("ended_at = ?", sqldb.Moment(at)).Where("id = ?", id).Exec(ctx)
	w.tx.touch(id)
	return wrap("end lookup "+id, err)
}

// ByID returns a question by id, or ErrNotFound.
func (r Lookups) ByID(ctx context.Context, id string) (*Lookup, error) {
	l := new(Lookup)
	if err := r.db.NewSelect().Model(l).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, one("lookup "+id, err)
	}
	return l, nil
}

// Answer stores an answer; last tells that there will be no better one. A
// question that has its last answer keeps it.
func (w LookupsTx) Answer(ctx context.Context, id string, a Answered, last bool) error {
	a.Metadata = clean(a.Metadata)
	l := &Lookup{ID: id, Answer: &a}
	q := w.db.NewUpdate().Model(l).Column("answer").Where("id = ? AND ended_at IS NULL", id)
	if last {
		now := sqldb.Moment(time.Now())
		l.EndedAt = &now
		q.Column("ended_at")
	}
	_, err := q.Exec(ctx)
	w.tx.touch(id)
	return wrap("answer lookup "+id, err)
}
