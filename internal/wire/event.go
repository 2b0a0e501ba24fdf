package wire

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Progress is the data of a job.progress event.
type Progress struct {
	JobID          string                    `json:"jobId" format:"uuid"`
	Status         transcript.JobStatus      `json:"status"`
	Stage          transcript.Stage          `json:"stage"`
	Sequence       int                       `json:"sequence" minimum:"1"`
	Attempt        int                       `json:"attempt" minimum:"1"`
	Progress       *transcript.Progress      `json:"progress,omitempty"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"`
	LastError      *transcript.LastError     `json:"lastError"` // why the work is tried again or waits; nil if there is no error
	At             transcript.Time           `json:"at"`        // when it happened
}

// AppendEvent appends the data of a server-sent event, one line of JSON. A snapshot never holds
// the result. segments are those of a completed job's result as in [AppendTranscript]. For an
// unknown type, AppendEvent returns an error and an unextended dst.
func AppendEvent(dst []byte, e *transcript.Event, segments []byte) ([]byte, error) {
	switch e.Type {
	case transcript.EventSnapshot:
		job := e.Job
		job.Result = nil
		return AppendJob(dst, &job, nil)
	case transcript.EventProgress:
		j := e.Job
		return appendJSON(dst, Progress{JobID: j.JobID, Status: j.Status, Stage: j.Stage, Sequence: j.Sequence,
			Attempt: j.Attempt, Progress: j.Progress, MetadataStatus: j.MetadataStatus, LastError: j.LastError, At: j.UpdatedAt})
	case transcript.EventSegments:
		return appendEarly(dst, e.Segments), nil
	case transcript.EventCompleted, transcript.EventFailed, transcript.EventCancelled:
		return AppendJob(dst, &e.Job, segments)
	case transcript.EventClosing:
		return appendJSON(dst, e.Closing)
	}
	return dst, fmt.Errorf("wire: event %q is unknown", e.Type)
}

func appendEarly(dst []byte, e *transcript.EarlySegments) []byte {
	dst = append(dst, `{"jobId":`...)
	dst = appendString(dst, e.JobID)
	dst = append(dst, `,"from":`...)
	dst = strconv.AppendInt(dst, int64(e.From), 10)
	dst = append(dst, `,"segments":`...)
	return append(AppendSegments(dst, e.Segments), '}')
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return dst, fmt.Errorf("wire: %w", err)
	}
	return append(dst, b...), nil
}

// DecodeEvent reads a server-sent event: its `event`, `id` and `data` fields. An event of an
// unknown name, from a later version of the service, is returned with only its Type and ID;
// callers skip it. An id that is neither empty nor a sequence number, and data that is not the
// event's JSON, are errors.
func DecodeEvent(name, id string, data []byte) (transcript.Event, error) {
	e := transcript.Event{Type: transcript.EventType(name)}
	if id != "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 {
			return transcript.Event{}, fmt.Errorf("wire: event id %q is not a sequence", id)
		}
		e.ID = n
	}
	if err := decodeData(&e, data); err != nil {
		return transcript.Event{}, fmt.Errorf("wire: event %s: %w", name, err)
	}
	return e, nil
}

func decodeData(e *transcript.Event, data []byte) error {
	switch e.Type {
	case transcript.EventSnapshot, transcript.EventCompleted, transcript.EventFailed, transcript.EventCancelled:
		return json.Unmarshal(data, &e.Job)
	case transcript.EventProgress:
		var p Progress
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		e.Job = transcript.Job{JobID: p.JobID, Status: p.Status, Stage: p.Stage, Sequence: p.Sequence, Attempt: p.Attempt,
			Progress: p.Progress, MetadataStatus: p.MetadataStatus, LastError: p.LastError, UpdatedAt: p.At}
	case transcript.EventSegments:
		e.Segments = &transcript.EarlySegments{}
		err := json.Unmarshal(data, e.Segments)
		e.Job.JobID = e.Segments.JobID
		return err
	case transcript.EventClosing:
		e.Closing = &transcript.Closing{}
		return json.Unmarshal(data, e.Closing)
	}
	return nil
}
