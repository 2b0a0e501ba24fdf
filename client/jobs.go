package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// JobService follows and cancels jobs. A job is the work that makes a transcript.
type JobService struct{ client *Client }

// Get returns the current state of the job. Get returns no error for a failed job: look
// at its Status. If the transcript of a successful job has been deleted, the job has no
// Result.
func (s *JobService) Get(ctx context.Context, id string, opts ...RequestOption) (*transcript.Job, error) {
	job, _, _, err := s.get(ctx, id, opts)
	if err != nil {
		return nil, err
	}
	if !whole(job.Result) {
		job.Result = nil
	}
	return job, nil
}

// Cancel cancels the job and returns it. If the job has already ended, the error is an
// [*Error] with the code STATE_CONFLICT.
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

// Wait returns the result of a job when the job has ended. It keeps a connection open
// for the job's events. If no events arrive, Wait polls the job's state: the service
// may have no events, a proxy may buffer events, or the plan may allow no more streams.
// The pauses between requests grow while the job makes no progress, and are never
// shorter than the service's Retry-After. Only ctx limits the wait. Wait tolerates a
// few failed requests in a row, each after the retries of [WithRetry].
//
// If the job failed or was cancelled, the error is a [*JobError]. If the wait ends
// early, the error is a [*WaitError] with the job's last known state.
func (s *JobService) Wait(ctx context.Context, id string, opts ...RequestOption) (*transcript.Result, error) {
	if _, err := jobPath(id); err != nil {
		return nil, err
	}
	return s.wait(ctx, transcript.Job{JobID: id}, false, opts)
}

// wait waits for a job whose last state is known. told says that the service has just
// reported this state.
func (s *JobService) wait(ctx context.Context, last transcript.Job, told bool, opts []RequestOption) (*transcript.Result, error) {
	set, err := s.client.settings(opts)
	if err != nil {
		return nil, err
	}
	last, err = poll[transcript.Job]{
		ask: func() (transcript.Job, time.Duration, error) {
			job, hint, answer, err := s.get(ctx, last.JobID, opts)
			if err != nil {
				return transcript.Job{}, 0, err
			}
			if job.Status == transcript.JobSuccess && !whole(job.Result) {
				return transcript.Job{}, 0, answer.malformed(errors.New("the job succeeded without a transcript"))
			}
			return *job, hint, nil
		},
		ended:  func(job transcript.Job) bool { return job.Status.Terminal() },
		moved:  func(before, now transcript.Job) bool { return before.Sequence != now.Sequence },
		listen: func(ctx context.Context) <-chan news[transcript.Job] { return s.listen(ctx, last.JobID, set) },
		// Of a long transcript only the end is told. A caller who wants the answer gets one.
		whole: func(job transcript.Job) bool {
			return set.response == nil && (job.Status != transcript.JobSuccess || whole(job.Result))
		},
	}.wait(ctx, last, told)
	if err != nil {
		return nil, &WaitError{Job: last, Err: err}
	}
	return outcome(&last)
}

// listen tells of the events of a job. Why there are no more of them, the next question
// tells.
func (s *JobService) listen(ctx context.Context, id string, set settings) <-chan news[transcript.Job] {
	heard := make(chan news[transcript.Job])
	tell := func(n news[transcript.Job]) bool {
		select {
		case heard <- n:
			return true
		case <-ctx.Done():
			return false
		}
	}
	waits := set // who waits, in another goroutine
	set.header = set.header.Clone()
	set.header.Del("Last-Event-ID") // all that has happened counts
	set.response = nil              // that of the last question
	set.notify = func(err error, pause time.Duration) {
		tell(news[transcript.Job]{lost: func() {
			// A service that refuses events may answer all the same.
			if broken := (*transportError)(nil); errors.As(err, &broken) {
				waits.tryingAgain(err, pause)
			}
		}})
	}
	go func() {
		defer close(heard)
		_ = s.follow(ctx, id, set, func(e transcript.Event, err error) bool { // see above
			switch {
			case err != nil, e.Type == transcript.EventSegments: // the job has not moved
				return true
			case e.Type == transcript.EventSnapshot && e.Job.Status.Terminal(): // its end is the next event
				return true
			}
			return tell(news[transcript.Job]{now: e.Job})
		})
	}()
	return heard
}

// outcome is what a job that has ended came to.
func outcome(job *transcript.Job) (*transcript.Result, error) {
	if job.Status != transcript.JobSuccess {
		return nil, &JobError{Job: *job}
	}
	return job.Result, nil
}

// get returns the job, how long the service asks to wait before the next question, and
// its whole answer.
func (s *JobService) get(ctx context.Context, id string, opts []RequestOption) (*transcript.Job, time.Duration, *answer, error) {
	path, err := jobPath(id)
	if err != nil {
		return nil, 0, nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path, payload{}, opts)
	if err != nil {
		return nil, 0, nil, err
	}
	job, err := decodeJob(answer)
	if err != nil {
		return nil, 0, nil, err
	}
	hint, _ := retryAfter(answer.Header) // 0 when absent: the client's own pause rules
	return job, hint, answer, nil
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
