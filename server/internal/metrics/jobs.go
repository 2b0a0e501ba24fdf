package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// jobs counts jobs and the work that they wait for.
type jobs struct {
	accepted  counters[transcript.Platform]
	succeeded prometheus.Counter
	cancelled prometheus.Counter
	failed    counters[transcript.Code]
	took      histograms[transcript.JobStatus]
	stages    histograms[transcript.Stage]
	rescued   prometheus.Counter
	stranded  prometheus.Counter
	replays   prometheus.Counter
}

// workStages returns the stages of work that has not ended.
func workStages() []transcript.Stage {
	return []transcript.Stage{
		transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
		transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing,
	}
}

func newJobs(f promauto.Factory) *jobs {
	accepted := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "jobs_accepted_total",
		Help: "New jobs. A job that joins running work counts too.",
	}, []string{"platform"})
	ended := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "jobs_ended_total",
		Help: "Ended jobs. `code` is the code of the error if the job failed.",
	}, []string{"status", "code"})
	took := f.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "job_duration_seconds", Buckets: longTimes(),
		Help: "A histogram of the seconds from the request of a job to the end of the job.",
	}, []string{"status"})
	stages := f.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "stage_duration_seconds", Buckets: longTimes(),
		Help: "A histogram of the seconds that work spent in a stage, counted when the work leaves the stage. Several jobs on the same work count once.",
	}, []string{"stage"})
	return &jobs{
		accepted:  countersOf(accepted, transcript.Platforms()),
		succeeded: ended.WithLabelValues(string(transcript.JobSuccess), ""),
		cancelled: ended.WithLabelValues(string(transcript.JobCancelled), ""),
		failed:    countersOf(ended.MustCurryWith(prometheus.Labels{"status": string(transcript.JobFailed)}), append(transcript.Codes(), other)),
		took:      histogramsOf(took, []transcript.JobStatus{transcript.JobSuccess, transcript.JobFailed, transcript.JobCancelled}),
		stages:    histogramsOf(stages, workStages()),
		rescued: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "work_rescued_total",
			Help: "Steps that this process took over from a dead process.",
		}),
		stranded: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "work_stranded_total",
			Help: "Running work and batches that were in no queue, because the database had lost commits. The service put them back into the queue.",
		}),
		replays: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "idempotent_replays_total",
			Help: "Answers that the server stored for an `Idempotency-Key` and sent a second time.",
		}),
	}
}

// JobAccepted counts a job for content of a platform.
func (j *jobs) JobAccepted(p transcript.Platform) { j.accepted.inc(p) }

// JobEnded counts a job that has ended. took is the time since its request. code is the error
// code of a failed job.
func (j *jobs) JobEnded(status transcript.JobStatus, code transcript.Code, took time.Duration) {
	switch status {
	case transcript.JobSuccess:
		j.succeeded.Inc()
	case transcript.JobCancelled:
		j.cancelled.Inc()
	default:
		if _, known := j.failed[code]; !known { // a code that an engine defined
			code = other
		}
		j.failed.inc(code)
	}
	j.took.observe(status, took.Seconds())
}

// StageLeft counts work that leaves a stage. took is the time that the work was in the stage.
func (j *jobs) StageLeft(s transcript.Stage, took time.Duration) {
	j.stages.observe(s, took.Seconds())
}

// WorkRescued counts a step that a worker took over from another process.
func (j *jobs) WorkRescued() { j.rescued.Inc() }

// WorkStranded counts work that was in no queue and was queued again.
func (j *jobs) WorkStranded() { j.stranded.Inc() }

// Replayed counts a request that got the stored answer of an earlier request with the same
// Idempotency-Key.
func (j *jobs) Replayed() { j.replays.Inc() }
