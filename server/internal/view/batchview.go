package view

import (
	"cmp"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// SummaryOf returns the part of a batch that the answer to a change contains.
func SummaryOf(b *batch.Job) batch.Summary {
	return batch.Summary{ID: b.ID, Mode: b.Mode, Status: b.Status, Counts: b.Counts, CreatedAt: b.CreatedAt}
}

// BatchOf is a batch as its owner sees it.
func BatchOf(b *db.BatchState) *batch.Job {
	updated := b.UpdatedAt
	if b.MovedAt != nil && b.MovedAt.After(updated) {
		updated = *b.MovedAt
	}
	return &batch.Job{
		ID:         b.ID,
		Mode:       b.Mode,
		Title:      b.Title,
		Lang:       cmp.Or(b.Languages, subject.DefaultLanguage),
		Total:      b.Counts.Total,
		Done:       b.Counts.Total - b.Counts.Pending,
		Failed:     b.Counts.Failed,
		Counts:     b.Counts,
		Status:     b.Shown,
		LastError:  newest(b.LastError, b.ItemError),
		Error:      b.Error,
		ExportRef:  b.ExportRef,
		ExportMime: b.ExportMime,
		CreatedAt:  transcript.At(b.CreatedAt),
		UpdatedAt:  transcript.At(updated),
	}
}

// newest returns the later of two errors. nil is not an error.
func newest(a, b *transcript.LastError) *transcript.LastError {
	if a == nil || b != nil && b.At.After(a.At.Time) {
		return b
	}
	return a
}

// undetermined is the language of items whose language the recognizer detects.
const undetermined = "und"

// ItemOf is an item of a batch as its owner sees it. If a worker has taken the job of an
// item, the item is processing until the job has ended or is back in the queue. An
// attempt counts from then on.
func ItemOf(b *db.Batch, i *db.ItemState) batch.Item {
	v := batch.Item{
		ID:         i.ID,
		Platform:   i.Platform,
		ExternalID: i.ExternalID,
		Title:      i.Title,
		Lang:       cmp.Or(i.Lang, b.Languages),
		Status:     i.Status,
		Attempts:   i.Attempts,
	}
	if v.Lang == "" {
		if v.Lang = undetermined; language.HasCaptions(i.Platform) {
			v.Lang = subject.DefaultLanguage
		}
	}
	if i.SourceURL != "" {
		v.SourceURL = &i.SourceURL
	}
	if i.TranscriptID != "" {
		v.TranscriptRef = &i.TranscriptID
	}
	if i.Status == batch.ItemFailed {
		v.Error, v.ErrorMessage, v.Retryable = &i.ErrorCode, i.ErrorMessage, &i.Retryable
	}
	if i.Job.Stage == "" || i.Job.Status.Terminal() { // none is running
		return v
	}
	if i.Job != lifecycle.Of(transcript.StageQueued) {
		v.Status = batch.ItemProcessing
	}
	if i.Job != lifecycle.Of(transcript.StageQueued) || i.Sequence > 1 {
		v.Attempts++
	}
	return v
}
