package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TranscriptService turns files, links and content ids into transcripts.
type TranscriptService struct{ client *Client }

// Get returns the transcript of r. If the service answers with a job, Get waits for the
// job as [JobService.Wait] does: only ctx limits the wait. If the job ends without a
// transcript, the error is a [*JobError]. If the wait ends early, even before the
// service has answered, the error is a [*WaitError] with the job's id: see
// [TranscriptService.Submit].
func (s *TranscriptService) Get(ctx context.Context, r transcript.Request, opts ...RequestOption) (*transcript.Result, error) {
	result, job, err := s.Submit(ctx, r, opts...)
	if err != nil || result != nil {
		return result, err
	}
	return s.client.Jobs.wait(ctx, *job, true, opts)
}

// Submit sends r and returns the transcript if the service has it within r.Wait, or
// else the job that makes the transcript. If there is no error, exactly one of the two
// results is not nil.
//
// If the file has a known size of 16 MiB or more, its upload is resumable: after a
// broken connection, Submit sends only the bytes that the service does not have.
// [RetryPolicy] then counts only the attempts that transfer no new bytes. Each attempt
// sends the whole file if the file is smaller, if its size is unknown, or if the
// service does not support resumable uploads. If ctx ends, Submit takes up to 5 s more
// to delete the partial upload from the service. If the caller has chosen the
// idempotency key, Submit leaves the partial upload, so that the same call can continue
// it.
//
// If r.Wait is longer than half of the time that is left to ctx or to
// [WithAttemptTimeout], Submit shortens it to that half, unless the caller has chosen
// the idempotency key. If ctx ends after the service has received the whole request,
// the job goes on, and Submit takes up to 2 s more to ask for the job by the
// idempotency key. The error is then a [*WaitError] with the job's id, by which the
// caller can cancel the job. If the transcript is already there, Submit returns it. If
// the service does not answer, or if Submit would have to send a large file or one of
// unknown size again, the error is that of ctx.
func (s *TranscriptService) Submit(ctx context.Context, r transcript.Request, opts ...RequestOption) (*transcript.Result, *transcript.Job, error) {
	answer, err := s.submit(ctx, r, opts)
	if err != nil {
		return nil, nil, err
	}
	if answer.StatusCode == http.StatusAccepted {
		job, err := decodeJob(answer)
		if err == nil && answer.late != nil {
			return nil, nil, &WaitError{Job: *job, Err: answer.late}
		}
		return nil, job, err
	}
	result, err := decodeResult(answer)
	return result, nil, err
}

// submit sends a large file as a resumable upload, and all else as one request.
func (s *TranscriptService) submit(ctx context.Context, r transcript.Request, opts []RequestOption) (_ *answer, err error) {
	if r.Wait, err = s.client.fittingHold(ctx, r.Wait, opts); err != nil {
		return nil, err
	}
	_, size, _, isFile := r.Source.Upload()
	resumes := isFile && size >= resumableFrom && !s.client.formsOnly.Load()
	if resumes {
		if answer, err := s.client.resume(ctx, r, opts); !errors.Is(err, errFormsOnly) {
			return answer, err
		}
	}
	content, err := requestPayload(r)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.start(ctx, "/v1/transcript", content, opts)
	if resumes && err == nil {
		s.client.formsOnly.Store(true)
	}
	return answer, err
}

func requestPayload(r transcript.Request) (payload, error) {
	if _, _, _, ok := r.Source.Upload(); ok {
		return uploadPayload(r, requestFields(r))
	}
	body := wire.Wishes(r)
	if link, ok := r.Source.Link(); ok {
		body["url"] = link
	} else if platform, id, ok := r.Source.Content(); ok {
		body["platform"], body["externalId"] = platform, id
	} else {
		return payload{}, errors.New("client: the request has no source")
	}
	data, err := json.Marshal(body)
	return jsonPayload(data), err
}

// requestFields returns the members of r as form fields.
func requestFields(r transcript.Request) (fields [][2]string) {
	wishes := wire.Wishes(r)
	for _, name := range slices.Sorted(maps.Keys(wishes)) {
		fields = append(fields, [2]string{name, fmt.Sprint(wishes[name])})
	}
	return fields
}

func decodeResult(a *answer) (*transcript.Result, error) {
	var result transcript.Result
	if err := a.decode(&result); err != nil {
		return nil, err
	}
	if !whole(&result) {
		return nil, a.malformed(errors.New("it has no transcript"))
	}
	return &result, nil
}

// whole reports whether r holds a text. An empty one counts: of silence.
func whole(r *transcript.Result) bool {
	return r != nil && (r.Transcript != nil || r.Format == transcript.Text)
}
