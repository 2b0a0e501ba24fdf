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
// job as [JobService.Wait] does: only ctx limits the wait. A job that ends without a
// transcript is a [*JobError]. A wait that ends early is a [*WaitError] with the job's
// id, also where ctx ends before the service has answered: see [TranscriptService.Submit].
func (s *TranscriptService) Get(ctx context.Context, r transcript.Request, opts ...RequestOption) (*transcript.Result, error) {
	result, job, err := s.Submit(ctx, r, opts...)
	if err != nil || result != nil {
		return result, err
	}
	return s.client.Jobs.wait(ctx, *job, true, opts)
}

// Submit sends r and returns the service's answer within r.Wait: the transcript, or the
// job that will make the transcript. Without an error exactly one of the two is not
// nil.
//
// A file of 16 MiB or more whose size is known goes on after a break at the byte up to which the
// service has it. [RetryPolicy] then counts the attempts that bring the file no further. If the
// service knows no such uploads, each attempt sends the whole file, as for small files and for
// files of unknown size. If ctx ends, Submit takes up to 5 s more to remove what the service has
// of the file, unless the caller has chosen the idempotency key: the same call goes on with it.
//
// The service holds the answer for at most half of the time that is left to ctx or to
// [WithAttemptTimeout], unless the caller has chosen the idempotency key. If ctx ends all the
// same while the service has the whole request, the job goes on, and Submit takes up to 2 s more
// to ask for it by the idempotency key. The error is then a [*WaitError] with the job's id; a
// caller that cancels ctx can cancel the job with it. If the transcript is there already, Submit
// returns it. If the service does not answer, or if a file would have to be sent again that is
// large or of unknown size, the error is that of ctx.
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
