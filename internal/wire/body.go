// Package wire writes and reads the JSON that the service and its client exchange, in cases in
// which encoding/json alone would be slow or would report too little: answers that hold a
// transcript, and the data of events.
//
// The segments, nearly all of a transcript, are rendered by hand and only once:
// [AppendSegments] makes the array that a server keeps, and the other Append functions put it
// into a new head.
package wire

import (
	"encoding/json"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendTranscript appends t as JSON. segments is the output of [AppendSegments], and must be a
// JSON array; if it is nil, t.Segments are rendered. If JSON cannot hold the metadata,
// AppendTranscript returns an error and an unextended dst.
func AppendTranscript(dst []byte, t *transcript.Transcript, segments []byte) ([]byte, error) {
	head := *t
	head.Segments = []transcript.Segment{}
	b, err := json.Marshal(head)
	if err != nil {
		return dst, fmt.Errorf("wire: transcript: %w", err)
	}
	at := indexOfSegments(b)
	dst = append(dst, b[:at]...)
	if segments != nil {
		dst = append(dst, segments...)
	} else {
		dst = AppendSegments(dst, t.Segments)
	}
	return append(dst, b[at+len("[]"):]...), nil
}

// AppendResult appends r as the body of a 200 answer of POST /v1/transcript. segments are those
// of r.Transcript as in [AppendTranscript]; a text result ignores them.
func AppendResult(dst []byte, r *transcript.Result, segments []byte) ([]byte, error) {
	if r.Format == transcript.Text || r.Transcript == nil {
		return appendWhole(dst, r, "result")
	}
	head := *r
	head.Transcript = nil
	return appendAround(dst, head, r.Transcript, segments)
}

// AroundSegments splits a body with an empty array of segments: it returns the parts before and
// after the array.
func AroundSegments(body []byte) (before, after []byte) {
	at := indexOfSegments(body)
	return body[:at], body[at+len("[]"):]
}

// AppendJob appends j as the body of GET /v1/transcript/job/{id}: the job's members, and the
// members of its result if there is one. segments are those of j.Result.Transcript as in
// [AppendTranscript].
func AppendJob(dst []byte, j *transcript.Job, segments []byte) ([]byte, error) {
	if j.Result == nil || j.Result.Format == transcript.Text || j.Result.Transcript == nil {
		return appendWhole(dst, j, "job")
	}
	head, result := *j, *j.Result
	head.Result, result.Transcript = &result, nil
	return appendAround(dst, head, j.Result.Transcript, segments)
}

// AppendCaptionReport appends r as the body of GET /v1/video_site/captions. segments are those
// of r.Transcript as in [AppendTranscript].
func AppendCaptionReport(dst []byte, r *transcript.CaptionReport, segments []byte) ([]byte, error) {
	head := *r
	head.Transcript = nil
	b, err := json.Marshal(head)
	if err != nil {
		return dst, fmt.Errorf("wire: caption report: %w", err)
	}
	if r.Transcript == nil {
		return append(dst, b...), nil
	}
	out := append(append(dst, b[:len(b)-len("}")]...), `,"transcript":`...)
	if out, err = AppendTranscript(out, r.Transcript, segments); err != nil {
		return dst, err
	}
	return append(out, '}'), nil
}

// appendWhole appends a value without segments.
func appendWhole(dst []byte, v json.Marshaler, noun string) ([]byte, error) {
	b, err := v.MarshalJSON() // json.Marshal would read all of it again
	if err != nil {
		return dst, fmt.Errorf("wire: %s: %w", noun, err)
	}
	return append(dst, b...), nil
}

// appendAround appends head, whose last member is a null for the transcript, and replaces the
// null with t.
func appendAround(dst []byte, head json.Marshaler, t *transcript.Transcript, segments []byte) ([]byte, error) {
	b, err := head.MarshalJSON()
	if err != nil {
		return dst, fmt.Errorf("wire: around the transcript: %w", err)
	}
	out, err := AppendTranscript(append(dst, b[:len(b)-len("null}")]...), t, segments)
	if err != nil {
		return dst, err
	}
	return append(out, '}'), nil
}
