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

// Lookup is a reader's question to a platform, which another process asks.
type Lookup struct {
	ID         string `bun:",pk"` // UUIDv7; made if it is empty. Also the topic for Watch.
	Platform   transcript.Platform
	ExternalID string
	Languages  string // the canonical language list; "" if the question is only about the tracks
	SourceURL  string // the canonical link
	// Question is a question about the video site, as JSON. If it is empty, the other
	// members are the question. The ExternalID then distinguishes the question from others.
	Question string
	Answer   *Answered // the best answer so far; nil if there is none
	AskedAt  time.Time
	EndedAt  *time.Time // nil means that a better answer may come
}

// Answered is a platform's answer to a Lookup. After an error, the other members have
// what was learned before the error.
type Answered struct {
	Metadata     transcript.Metadata `json:"metadata"`
	Tracks       []transcript.Track  `json:"tracks"`                 // nil if not known
	TranscriptID string              `json:"transcriptId,omitempty"` // the text of the track that was read
	Found        json.RawMessage     `json:"found,omitempty"`        // of discovery
	Error        *transcript.Error   `json:"error,omitempty"`
}

// Lookups are the lookups in a transaction.
type Lookups struct{ Tx *db.Tx }

// Put stores a question and reports true. If an equal question is under way and was asked
// no longer ago than patience, Put sets l to that question instead. An older question
// ends, because its readers have left. If the id and the time are zero, Put sets them,
// the time by the database's clock.
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

// Answer stores an answer; last says that no better answer will follow. The last answer
// of a question is never replaced.
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
