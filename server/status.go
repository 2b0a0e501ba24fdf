package server

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/joblist"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Status says what the service does and stores at a moment, for its operator. The metrics of
// [Server.Metrics] have the same numbers.
type Status struct {
	// Stages counts the running jobs of all accounts. Stages without a running job are missing.
	Stages []StageStatus
	// Running are the 50 oldest running jobs, the oldest first. Failed are the 50 latest failed
	// jobs, the latest first, among the last 1,000 jobs that have ended.
	Running, Failed []JobStatus
	// Outside, Waiting, Ready and Recognizing count the recordings on the way to recognition.
	// Outside wait for a place, Waiting for their audio, and Ready for the recognizer.
	Outside, Waiting, Ready, Recognizing int
	// Processes is how many processes share the work.
	Processes int
	// DatabaseBytes is the size of the database.
	DatabaseBytes int64
	// BlobBytes are the sizes of the stored files by their use: uploads, audio, playing, and
	// recordings, which the other sizes contain too. The last hourly sweep has measured them;
	// nil before the first sweep.
	BlobBytes map[string]int64
	// FreeBytes are the free bytes of local disks by their use: database, blobs and scratch.
	FreeBytes map[string]int64
	// OldestDelivery is when the event of the oldest waiting delivery to a webhook happened; zero
	// if no delivery waits.
	OldestDelivery time.Time
	// Exits are the exits by which this process visits platforms, in the order of the pool.
	Exits []ExitStatus
}

// StageStatus counts the running jobs in a stage.
type StageStatus struct {
	Stage  transcript.Stage
	Jobs   int
	Oldest time.Time // when the oldest of them was requested
}

// JobStatus is a job of an account, without its content.
type JobStatus struct {
	ID, Account string
	Stage       transcript.Stage
	// Reason is why the job failed, or why the last attempt of a running job failed; nil if
	// none failed.
	Reason    *transcript.Error
	CreatedAt time.Time
	EndedAt   time.Time // zero for a running job
}

// ExitStatus counts the visits of this process by an exit since the start of the process.
type ExitStatus struct {
	Name     string
	Answered int64 // the platform answered
	Blocked  int64 // the platform refused the exit
	Failed   int64 // there was no answer for another reason
	// Paused is how many platforms are not visited by the exit at the moment, because they
	// refused it, or because the exit does not work.
	Paused int
}

// mostJobs is how many running and how many failed jobs a Status has.
const mostJobs = 50

// Status reads the database and the disks. It does not need a started server.
func (s *Server) Status(ctx context.Context) (Status, error) {
	seen, err := s.db.Status(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("server: %w", err)
	}
	running, err := joblist.Running(ctx, s.db.SQL(), mostJobs)
	if err != nil {
		return Status{}, fmt.Errorf("server: %w", err)
	}
	failed, err := joblist.Failed(ctx, s.db.SQL(), mostJobs)
	if err != nil {
		return Status{}, fmt.Errorf("server: %w", err)
	}
	now := statusOf(seen)
	now.Running, now.Failed = jobsOf(running), jobsOf(failed)
	now.FreeBytes = s.pipeline.Disks.FreeDisk()
	for _, e := range s.pipeline.Exits() {
		now.Exits = append(now.Exits, ExitStatus{e.Name, e.Answered, e.Blocked, e.Failed, e.Open})
	}
	return now, nil
}

// statusOf is the part of a status that the database knows.
func statusOf(seen db.Status) Status {
	now := Status{Processes: seen.Processes, DatabaseBytes: seen.Bytes}
	for _, stage := range seen.Jobs {
		now.Stages = append(now.Stages, StageStatus(stage))
	}
	places := map[db.PlaceState]*int{db.Outside: &now.Outside, db.Waiting: &now.Waiting, db.Ready: &now.Ready, db.Running: &now.Recognizing}
	for _, p := range seen.Places {
		if n := places[p.State]; n != nil { // a newer process may know more states
			*n = p.Places
		}
	}
	for _, oldest := range seen.Deliveries {
		now.OldestDelivery = oldest
	}
	for _, m := range seen.Blobs {
		if now.BlobBytes == nil {
			now.BlobBytes = map[string]int64{}
		}
		now.BlobBytes[m.Name] = m.Value
	}
	return now
}

func jobsOf(listed []joblist.Job) []JobStatus {
	all := make([]JobStatus, len(listed))
	for i, j := range listed {
		all[i] = JobStatus{ID: j.ID, Account: j.Account, Stage: j.Stage, Reason: j.Error, CreatedAt: j.CreatedAt}
		if j.EndedAt != nil {
			all[i].EndedAt = *j.EndedAt
		} else if j.LastError != nil {
			all[i].Reason = &transcript.Error{Code: j.LastError.Code, Message: j.LastError.Message}
		}
	}
	return all
}
