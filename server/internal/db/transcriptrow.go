package db

import (
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// transcriptRow is a Transcript as the table has it.
type transcriptRow struct {
	bun.BaseModel `bun:"table:transcripts,alias:t"`

	ID            string `bun:",pk"`
	Owner         string
	Platform      transcript.Platform
	ExternalID    string
	Lang          string
	Source        transcript.Origin
	Status        transcript.Status
	SourceURL     *string
	Title         *string
	Channel       *string
	CreatorName   *string
	CreatorHandle *string
	CreatorURL    *string
	ThumbnailURL  *string
	DurationSec   *int
	Duration      float64
	PublishedAt   *time.Time
	Metadata      map[string]any
	Sound         *transcript.Sound // nil: not recognized, or before this was kept
	PromptSum     string
	Edited        bool
	WordCount     int
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// textRow is the text of a transcript, which stands apart: the rest is read
// without it.
type textRow struct {
	bun.BaseModel `bun:"table:texts"`

	TranscriptID string
	Segments     []byte
	Words        []byte
}

// transcript is what the row says, without the text.
func (r *transcriptRow) transcript() *Transcript {
	t := &Transcript{Owner: r.Owner, Edited: r.Edited, Duration: r.Duration, ChangedAt: r.UpdatedAt, Transcript: transcript.Transcript{
		ID:            r.ID,
		Platform:      r.Platform,
		ExternalID:    r.ExternalID,
		SourceURL:     r.SourceURL,
		Lang:          r.Lang,
		Title:         r.Title,
		Channel:       r.Channel,
		CreatorName:   r.CreatorName,
		CreatorHandle: r.CreatorHandle,
		CreatorURL:    r.CreatorURL,
		ThumbnailURL:  r.ThumbnailURL,
		DurationSec:   r.DurationSec,
		Metadata:      r.Metadata,
		Source:        r.Source,
		Status:        r.Status,
		CreatedAt:     transcript.At(r.CreatedAt),
		UpdatedAt:     transcript.At(r.UpdatedAt),
	}}
	if r.Sound != nil {
		t.Sound = *r.Sound
	}
	if r.PublishedAt != nil {
		at := transcript.At(*r.PublishedAt)
		t.PublishedAt = &at
	}
	return t
}

func rowOf(t *Transcript) *transcriptRow {
	r := &transcriptRow{
		ID:            t.ID,
		Owner:         t.Owner,
		Platform:      t.Platform,
		ExternalID:    t.ExternalID,
		Lang:          t.Lang,
		Source:        t.Source,
		Status:        t.Status,
		SourceURL:     t.SourceURL,
		Title:         sqldb.TextOrNil(t.Title),
		Channel:       sqldb.TextOrNil(t.Channel),
		CreatorName:   sqldb.TextOrNil(t.CreatorName),
		CreatorHandle: sqldb.TextOrNil(t.CreatorHandle),
		CreatorURL:    sqldb.TextOrNil(t.CreatorURL),
		ThumbnailURL:  sqldb.TextOrNil(t.ThumbnailURL),
		DurationSec:   t.DurationSec,
		Duration:      t.Duration,
		Metadata:      t.Metadata,
		PromptSum:     t.PromptSum,
		Edited:        t.Edited,
		CreatedAt:     t.CreatedAt.Time,
		UpdatedAt:     t.UpdatedAt.Time,
	}
	if t.Source == transcript.OriginASR {
		r.Sound = &t.Sound
	}
	if t.PublishedAt != nil {
		r.PublishedAt = &t.PublishedAt.Time
	}
	return r
}
