package db

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// transcriptRow is a Transcript as the table stores it.
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
	PromptSum     string
	Edited        bool
	WordCount     int
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// textRow is the text of a transcript, which is in a separate table so that the rest can
// be read without it.
type textRow struct {
	bun.BaseModel `bun:"table:texts"`

	TranscriptID string
	Segments     []byte
	Words        []byte
}

// transcript converts the row, without the text.
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
	t.Metadata, t.Sound = takeSound(r.Metadata)
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
		Metadata:      withSound(t),
		PromptSum:     t.PromptSum,
		Edited:        t.Edited,
		CreatedAt:     t.CreatedAt.Time,
		UpdatedAt:     t.UpdatedAt.Time,
	}
	if t.PublishedAt != nil {
		r.PublishedAt = &t.PublishedAt.Time
	}
	return r
}

// soundInMetadata is the member of the stored metadata that has the sound of a recognized text.
// Programs that do not know the member show it as a part of the metadata. The table must not have a
// new column, see TestTablesThatStayWhole.
const soundInMetadata = "sound"

func withSound(t *Transcript) map[string]any {
	if t.Source != transcript.OriginASR {
		return t.Metadata
	}
	m := make(map[string]any, len(t.Metadata)+1)
	maps.Copy(m, t.Metadata)
	m[soundInMetadata] = t.Sound
	return m
}

// takeSound separates the stored metadata from the sound in it.
func takeSound(m map[string]any) (map[string]any, transcript.Sound) {
	var sound transcript.Sound
	stored, ok := m[soundInMetadata]
	if !ok {
		return m, sound
	}
	b, err := json.Marshal(stored)
	if err != nil || json.Unmarshal(b, &sound) != nil {
		return m, transcript.Sound{} // the member is not ours
	}
	if delete(m, soundInMetadata); len(m) == 0 {
		m = nil
	}
	return m, sound
}
