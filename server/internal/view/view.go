// Package view shows transcripts, jobs and batches in the form for their owners.
package view

import (
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// View is the form in which a caller wants a result.
type View struct {
	Format        transcript.Format // JSON when empty
	OmitTimestamp bool
	SendMetadata  bool
}

// Result is a result with its segments rendered: Transcript.Segments is empty,
// SegmentsJSON holds them. See wire.AppendResult.
type Result struct {
	transcript.Result
	SegmentsJSON *packed.Bytes
	Duration     float64 // of the media, in seconds; 0 if not known
	// TextID and TextChanged identify the text among all texts of the transcript.
	TextID      string
	TextChanged time.Time
}

// Job is a job in the form for its owner. On success with a result, SegmentsJSON holds
// the segments. See wire.AppendJob.
type Job struct {
	transcript.Job
	SegmentsJSON *packed.Bytes
	// TextID and TextChanged are those of the result.
	TextID      string
	TextChanged time.Time
	// Asked is the view that the POST requested.
	Asked View
}

// JobOf converts a stored job, without its result.
func JobOf(j *db.Job) transcript.Job {
	v := transcript.Job{
		JobID:          j.ID,
		Status:         j.State.Status,
		Stage:          j.State.Stage,
		Sequence:       j.Sequence,
		Attempt:        j.Attempt,
		MetadataStatus: j.MetadataStatus,
		CreatedAt:      transcript.At(j.CreatedAt),
		UpdatedAt:      transcript.At(j.UpdatedAt),
		LastError:      j.LastError,
		Error:          j.Error,
		TranscriptRef:  j.TranscriptID,
	}
	if !j.State.Status.Terminal() {
		v.Progress = j.Progress
	} else if v.MetadataStatus == transcript.MetadataPending { // no more sources will be asked
		v.MetadataStatus = transcript.MetadataUnavailable
	}
	return v
}

// ResultOf converts a stored transcript as v requests it.
func ResultOf(t *db.Transcript, v View, cached bool) (*Result, error) {
	r := &Result{
		Result: transcript.Result{
			Format:         transcript.JSON,
			Cached:         cached,
			Language:       t.Lang,
			MetadataStatus: metadataOf(t).Status(),
			Recognizer:     HeardBy(t),
			Sound:          t.Sound,
			NothingHeard:   t.Source == transcript.OriginASR && t.SegmentsJSON != nil && t.SegmentsJSON.Len() <= len("[]"),
		},
		Duration: t.Duration, TextID: t.ID, TextChanged: t.ChangedAt,
	}
	if t.Duration > 0 {
		sec := RoundSeconds(t.Duration)
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
		HideMetadata(&shown)
	}
	r.Transcript, r.SegmentsJSON = &shown, t.SegmentsJSON
	return r, nil
}

// TimedSegments returns the rendered segments of a text that was read with its words, including
// the words.
func TimedSegments(t *db.Transcript) (*packed.Bytes, error) {
	segments, err := t.SegmentsJSON.Plain()
	if err != nil {
		return nil, err
	}
	words, err := t.WordsJSON.Plain()
	if err != nil {
		return nil, err
	}
	timed, err := wire.WithWords(segments, words)
	return packed.Pack(timed), err
}

// HideMetadata removes the members that sendMetadata: false hides.
func HideMetadata(t *transcript.Transcript) {
	t.Title, t.Channel, t.CreatorName, t.CreatorHandle, t.CreatorURL = nil, nil, nil, nil, nil
	t.ThumbnailURL, t.PublishedAt, t.Metadata = nil, nil, nil
}

func plainText(t *db.Transcript, timestamps bool) (string, error) {
	whole, err := t.Whole()
	if err != nil {
		return "", err
	}
	return string(format.AppendText(nil, whole.Segments, timestamps)), nil
}

// StatusOf is the status for the jobs of work.
func StatusOf(e *db.Work) transcript.MetadataStatus {
	known := e.Metadata
	known.Duration = max(known.Duration, e.Duration)
	if known.IsZero() {
		return transcript.MetadataPending
	}
	return known.Status()
}

// metadataOf is what a stored transcript says about its content.
func metadataOf(t *db.Transcript) transcript.Metadata {
	return transcript.Metadata{
		Title: deref(t.Title), Channel: deref(t.Channel), CreatorName: deref(t.CreatorName), Duration: t.Duration,
	}
}

// Describe puts what a platform says about a content into its transcript. If there is a
// measured length, it takes precedence.
func Describe(t *db.Transcript, m transcript.Metadata) {
	for member, value := range map[**string]string{
		&t.Title: m.Title, &t.Channel: m.Channel, &t.CreatorName: m.CreatorName, &t.CreatorHandle: m.CreatorHandle,
		&t.CreatorURL: m.CreatorURL, &t.ThumbnailURL: m.ThumbnailURL,
	} {
		if value != "" {
			*member = &value
		}
	}
	if !m.PublishedAt.IsZero() {
		at := transcript.At(m.PublishedAt)
		t.PublishedAt = &at
	}
	if len(m.Chapters) > 0 {
		if t.Metadata == nil {
			t.Metadata = map[string]any{}
		}
		t.Metadata["chapters"] = m.Chapters
	}
	if t.Duration == 0 {
		t.Duration = m.Duration
	}
	if t.Duration > 0 {
		sec := RoundSeconds(t.Duration)
		t.DurationSec = &sec
	}
}

// Entitle gives a text of a library the title and the tags that its account sees. A text without any
// title gets its first line.
func Entitle(t *db.Transcript, l labels.Label) {
	l.Show(&t.Title, &t.Tags)
	if t.Title != nil {
		return
	}
	if line := labels.FirstLine(t.SegmentsJSON.Gzip()); line != "" {
		t.Title = &line
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// HeardBy returns the recognizer of a stored text, from its provenance; if there are
// several, the one that recognized most. It returns nil if the text was not recognized.
func HeardBy(t *db.Transcript) *transcript.Recognizer {
	told := func(member string) *string {
		if s, ok := t.Metadata[member].(string); ok && s != "" {
			return &s
		}
		return nil
	}
	name := told("engine")
	if t.Source != transcript.OriginASR || name == nil {
		return nil
	}
	return &transcript.Recognizer{Engine: *name, Model: told("model"), Quality: told("quality")}
}

// RoundSeconds rounds a length in seconds half up, as Transcript.DurationSec
// holds it. A negative length and NaN become 0.
func RoundSeconds(seconds float64) int {
	if !(seconds > 0) {
		return 0
	}
	return int(math.Round(min(seconds, math.MaxInt32)))
}

// SetSegments sets the segments of a text from their stored form: the JSON of answers, with the
// words separate.
func SetSegments(t *db.Transcript, segments []transcript.Segment) {
	t.Segments = nil
	t.SegmentsJSON, t.WordsJSON = packed.Pack(wire.AppendSegments(nil, segments)), packed.Pack(wire.AppendWords(nil, segments))
}
