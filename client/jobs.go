package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// JobService watches and cancels the jobs behind transcripts.
type JobService struct{ client *Client }

// Get returns the job as it stands. A failed job is not an error here: look at
// its Status.
func (s *JobService) Get(ctx context.Context, id string, opts ...RequestOption) (*transcript.Job, error) {
	job, _, err := s.get(ctx, id, opts)
	return job, err
}

// Cancel ends the job and returns it as cancelled. A job that has ended already
// is an [*Error] with the code STATE_CONFLICT.
func (s *JobService) Cancel(ctx context.Context, id string, opts ...RequestOption) (*transcript.Job, error) {
	path, err := jobPath(id)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodPost, path+"/cancel", payload{}, opts)
	if err != nil {
		return nil, err
	}
	return decodeJob(answer)
}

// Wait asks for the job again and again until it has ended, and returns its
// result. Pauses grow while nothing moves and are never shorter than the service
// asks for. Only ctx limits the wait: a few failed questions in a row are
// survived, beyond the repetitions of [WithRetry].
//
// A job that failed or was cancelled is a [*JobError]. Everything else that ends
// the wait is a [*WaitError] with the last state seen.
func (s *JobService) Wait(ctx context.Context, id string, opts ...RequestOption) (*transcript.Result, error) {
	if _, err := jobPath(id); err != nil {
		return nil, err
	}
	return s.wait(ctx, transcript.Job{JobID: id}, opts)
}

func (s *JobService) wait(ctx context.Context, last transcript.Job, opts []RequestOption) (*transcript.Result, error) {
	last, err := poll[transcript.Job]{
		ask: func() (transcript.Job, time.Duration, error) {
			job, hint, err := s.get(ctx, last.JobID, opts)
			if err != nil {
				return transcript.Job{}, 0, err
			}
			return *job, hint, nil
		},
		ended: func(job transcript.Job) bool { return job.Status.Terminal() },
		moved: func(before, now transcript.Job) bool { return before.Sequence != now.Sequence },
	}.wait(ctx, last)
	if err != nil {
		return nil, &WaitError{Job: last, Err: err}
	}
	return outcome(&last)
}

// outcome is what a job that has ended came to.
func outcome(job *transcript.Job) (*transcript.Result, error) {
	if job.Status != transcript.JobSuccess {
		return nil, &JobError{Job: *job}
	}
	return job.Result, nil
}

// get returns the job and how long the service asks to wait before the next
// question.
func (s *JobService) get(ctx context.Context, id string, opts []RequestOption) (*transcript.Job, time.Duration, error) {
	path, err := jobPath(id)
	if err != nil {
		return nil, 0, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path, payload{}, opts)
	if err != nil {
		return nil, 0, err
	}
	job, err := decodeJob(answer)
	if err != nil {
		return nil, 0, err
	}
	if job.Status == transcript.JobSuccess && !whole(job.Result) {
		return nil, 0, answer.malformed(errors.New("the job succeeded without a transcript"))
	}
	hint, _ := retryAfter(answer.Header) // 0 when absent: the client's own pause rules
	return job, hint, nil
}

func decodeJob(a *answer) (*transcript.Job, error) {
	var job transcript.Job
	if err := a.decode(&job); err != nil {
		return nil, err
	}
	if job.JobID == "" || job.Status == "" {
		return nil, a.malformed(errors.New("it has no jobId or no status"))
	}
	return &job, nil
}

func jobPath(id string) (string, error) {
	escaped, err := segment("job id", id)
	if err != nil {
		return "", err
	}
	return "/v1/transcript/job/" + escaped, nil
}
