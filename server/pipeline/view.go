package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// View is how a caller wants to see a result.
type View struct {
	Format        transcript.Format // JSON when empty
	OmitTimestamp bool
	SendMetadata  bool
}

// Result is a result with its segments rendered: Transcript.Segments is empty,
// SegmentsJSON holds them. See format.AppendResult.
type Result struct {
	transcript.Result
	SegmentsJSON []byte
}

// Job is a job as its owner sees it. On success with a result, SegmentsJSON
// holds the segments. See format.AppendJob.
type Job struct {
	transcript.Job
	SegmentsJSON []byte
	// Asked is the view that the POST asked for.
	Asked View
}

// jobView is a stored job without its result.
func jobView(j *store.Job) transcript.Job {
	v := transcript.Job{
		JobID:          j.ID,
		Status:         j.State.Status,
		Stage:          j.State.Stage,
		Sequence:       j.Sequence,
		Attempt:        j.Attempt,
		MetadataStatus: j.MetadataStatus,
		CreatedAt:      transcript.At(j.CreatedAt),
		UpdatedAt:      transcript.At(j.UpdatedAt),
		Error:          j.Error,
		TranscriptRef:  j.TranscriptID,
	}
	if !j.State.Status.Terminal() {
		v.Progress = j.Progress
	}
	return v
}

// result is a stored transcript as v wants it.
func result(t *store.Transcript, v View, cached bool) (*Result, error) {
	r := &Result{
		Result: transcript.Result{
			Format:         transcript.JSON,
			Cached:         cached,
			Language:       t.Lang,
			MetadataStatus: metadataStatus(deref(t.Title), t.Duration),
		},
	}
	if t.Duration > 0 {
		sec := transcript.RoundSeconds(t.Duration)
		text := transcript.LengthText(sec)
		r.LengthSeconds, r.LengthText = &sec, &text
	}
	if v.SendMetadata {
		r.Metadata = t.Metadata
	}
	if v.Format == transcript.Text {
		text, err := plainText(t, !v.OmitTimestamp)
		if err != nil {
			return nil, err
		}
		r.Format, r.Text = transcript.Text, text
		return r, nil
	}
	shown := t.Transcript
	if !v.SendMetadata {
		hideMetadata(&shown)
	}
	r.Transcript, r.SegmentsJSON = &shown, t.SegmentsJSON
	return r, nil
}

// hideMetadata takes away what sendMetadata: false does not show (contract 13.12).
func hideMetadata(t *transcript.Transcript) {
	t.Title, t.Channel, t.CreatorName, t.CreatorHandle, t.CreatorURL = nil, nil, nil, nil, nil
	t.ThumbnailURL, t.PublishedAt, t.Metadata = nil, nil, nil
}

func plainText(t *store.Transcript, timestamps bool) (string, error) {
	var segments []transcript.Segment
	if err := json.Unmarshal(t.SegmentsJSON, &segments); err != nil {
		return "", fmt.Errorf("pipeline: segments of transcript %s: %w", t.ID, err)
	}
	return string(format.AppendText(nil, segments, timestamps)), nil
}

// metadataStatus says how much is known of an upload: never everything, as
// nobody says who made it.
func metadataStatus(title string, duration float64) transcript.MetadataStatus {
	if title == "" && duration == 0 {
		return transcript.MetadataPending
	}
	return transcript.MetadataPartial
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
