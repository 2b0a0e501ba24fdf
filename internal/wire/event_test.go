package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// result is one that comes back as it is: its times need no rounding.
func result() *transcript.Result {
	return &transcript.Result{Format: transcript.JSON, Language: "en", MetadataStatus: transcript.MetadataPartial,
		Transcript: &transcript.Transcript{ID: "t", Lang: "en", Status: transcript.Ready, CreatedAt: moment, UpdatedAt: moment,
			Segments: []transcript.Segment{{Text: "Good evening.", Start: 0.5, Duration: 1.25}}}}
}

func TestEventsComeBackAsTheyWereSent(t *testing.T) {
	t.Parallel()
	running := transcript.Job{JobID: "j", Status: transcript.JobProcessing, Stage: transcript.StageASRRunning, Sequence: 6, Attempt: 2,
		Progress: &transcript.Progress{Fraction: 0.5, ProcessedSec: 5, TotalSec: 10}, MetadataStatus: transcript.MetadataPartial,
		UpdatedAt: moment}
	whole := running
	whole.CreatedAt = moment
	ended := whole
	ended.Status, ended.Stage, ended.Progress, ended.Result = transcript.JobSuccess, transcript.StageDone, nil, result()
	failed := whole
	failed.Status, failed.Progress = transcript.JobFailed, nil
	failed.Error = &transcript.Error{Code: transcript.Internal, Message: "Broken.", Retryable: ptr(true)}
	cancelled := whole
	cancelled.Status = transcript.JobCancelled

	for _, test := range []struct {
		id    string
		event transcript.Event
	}{
		{"", transcript.Event{Type: transcript.EventSnapshot, Job: whole}},
		{"6", transcript.Event{Type: transcript.EventProgress, ID: 6, Job: running}},
		{"", transcript.Event{Type: transcript.EventProgress, Job: running}},
		{"", transcript.Event{Type: transcript.EventSegments, Job: transcript.Job{JobID: "j"},
			Segments: &transcript.EarlySegments{JobID: "j", From: 3, Segments: []transcript.Segment{{Text: "\"So,\" she\nsaid.", Start: 0.5, Duration: 1.25, Speaker: "A"}}}}},
		{"7", transcript.Event{Type: transcript.EventCompleted, ID: 7, Job: ended}},
		{"7", transcript.Event{Type: transcript.EventFailed, ID: 7, Job: failed}},
		{"7", transcript.Event{Type: transcript.EventCancelled, ID: 7, Job: cancelled}},
		{"", transcript.Event{Type: transcript.EventClosing, Closing: &transcript.Closing{Reason: "shutdown", RetryMS: 1000}}},
	} {
		data, err := wire.AppendEvent(nil, &test.event, nil)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "\n")
		back, err := wire.DecodeEvent(string(test.event.Type), test.id, data)
		require.NoError(t, err)
		assert.Equal(t, test.event, back)
	}
}

func TestAppendEvent(t *testing.T) {
	t.Parallel()
	job := transcript.Job{JobID: "j", Status: transcript.JobSuccess, Stage: transcript.StageDone, Sequence: 7, Attempt: 1,
		CreatedAt: moment, UpdatedAt: moment, Result: result()}
	for _, test := range []struct {
		event transcript.Event
		json  string
	}{
		{
			transcript.Event{Type: transcript.EventProgress, Job: transcript.Job{JobID: "j", Status: transcript.JobPending,
				Stage: transcript.StageQueued, Sequence: 1, Attempt: 1, CreatedAt: moment, UpdatedAt: moment}},
			`{"jobId":"j","status":"pending","stage":"queued","sequence":1,"attempt":1,"lastError":null,"at":"2026-11-21T02:03:34.123Z"}`,
		},
		{
			transcript.Event{Type: transcript.EventSnapshot, Job: job},
			`{"jobId":"j","status":"success","stage":"done","sequence":7,"attempt":1,
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z","lastError":null}`,
		},
		{
			transcript.Event{Type: transcript.EventClosing, Closing: &transcript.Closing{Reason: "max_age", RetryMS: 1000}},
			`{"reason":"max_age","retryMs":1000}`,
		},
		{
			transcript.Event{Type: transcript.EventClosing, Closing: &transcript.Closing{Reason: "unauthorized"}},
			`{"reason":"unauthorized"}`,
		},
	} {
		data, err := wire.AppendEvent(nil, &test.event, nil)
		require.NoError(t, err)
		assert.JSONEq(t, test.json, string(data))
	}
	assert.NotNil(t, job.Result, "a snapshot leaves the caller's job alone")

	_, err := wire.AppendEvent(nil, &transcript.Event{Type: "job.unheard"}, nil)
	assert.ErrorContains(t, err, "job.unheard")
}

func TestDecodeEventOfALaterVersion(t *testing.T) {
	t.Parallel()
	e, err := wire.DecodeEvent("job.paused", "12", []byte("not even JSON"))
	require.NoError(t, err)
	assert.Equal(t, transcript.Event{Type: "job.paused", ID: 12}, e)

	e, err = wire.DecodeEvent("job.progress", "", []byte(`{"jobId":"j","mood":"fine"}`))
	require.NoError(t, err)
	assert.Equal(t, "j", e.Job.JobID)
}

func TestDecodeEventRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, id, data, says string }{
		{"job.progress", "x", `{}`, `id "x"`},
		{"job.progress", "-1", `{}`, `id "-1"`},
		{"job.progress", "1.5", `{}`, `id "1.5"`},
		{"job.progress", "99999999999999999999", `{}`, "is not a sequence"},
		{"job.progress", "1", `{"jobId":`, "job.progress"},
		{"job.snapshot", "", `[]`, "job.snapshot"},
		{"job.completed", "7", `{"status":"success","transcript":1}`, "job.completed"},
		{"job.segments", "", `{"from":"all"}`, "job.segments"},
		{"stream.closing", "", ``, "stream.closing"},
	} {
		_, err := wire.DecodeEvent(test.name, test.id, []byte(test.data))
		assert.ErrorContains(t, err, test.says)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, name := range []string{"job.snapshot", "job.progress", "job.completed", "job.segments", "stream.closing", "other"} {
		f.Add(name, "3", []byte(`{"jobId":"j","status":"success","transcript":{"segments":[{}]}}`))
	}
	f.Fuzz(func(t *testing.T, name, id string, data []byte) {
		e, err := wire.DecodeEvent(name, id, data)
		if err != nil {
			require.Equal(t, transcript.Event{}, e)
			return
		}
		require.Equal(t, name, string(e.Type))
		if out, err := wire.AppendEvent(nil, &e, nil); err == nil {
			require.True(t, json.Valid(out))
		}
	})
}
