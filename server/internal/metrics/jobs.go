package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// jobs are the counters of jobs and of the work that they wait for.
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

// workStages are the stages in which there is something to do or to wait for.
func workStages() []transcript.Stage {
	return []transcript.Stage{
		transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
		transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing,
	}
}

func newJobs(f promauto.Factory) *jobs {
	accepted := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "jobs_accepted_total",
		Help: "Jobs that were made, those included that join work which runs already.",
	}, []string{"platform"})
	ended := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "jobs_ended_total",
		Help: "Jobs that have ended, by status and, where they have failed, by the code of their error.",
	}, []string{"status", "code"})
	took := f.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "job_duration_seconds", Buckets: longTimes(),
		Help: "Time from a job's request to its end, by status.",
	}, []string{"status"})
	stages := f.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "stage_duration_seconds", Buckets: longTimes(),
		Help: "Time that work was in a stage, observed when it leaves. Jobs on the same work are one.",
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
			Help: "Steps of jobs that were taken over from a process that has died, or has not heard of them.",
		}),
		stranded: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "work_stranded_total",
			Help: "Work that had not ended and stood in no queue, as the database had lost commits: it was queued again.",
		}),
		replays: f.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "idempotent_replays_total",
			Help: "Requests that were given the answer of an earlier one with the same Idempotency-Key.",
		}),
	}
}

// JobAccepted counts a job for content of a platform.
func (j *jobs) JobAccepted(p transcript.Platform) { j.accepted.inc(p) }

// JobEnded counts a job that has ended, took after it was asked for. code is that
// of a failed one's error.
func (j *jobs) JobEnded(status transcript.JobStatus, code transcript.Code, took time.Duration) {
	switch status {
	case transcript.JobSuccess:
		j.succeeded.Inc()
	case transcript.JobCancelled:
		j.cancelled.Inc()
	default:
		if _, known := j.failed[code]; !known { // an engine's own
			code = other
		}
		j.failed.inc(code)
	}
	j.took.observe(status, took.Seconds())
}

// StageLeft counts work that leaves a stage after some time.
func (j *jobs) StageLeft(s transcript.Stage, took time.Duration) {
	j.stages.observe(s, took.Seconds())
}

// WorkRescued counts a step that was taken over.
func (j *jobs) WorkRescued() { j.rescued.Inc() }

// WorkStranded counts work that stood in no queue and was queued again.
func (j *jobs) WorkStranded() { j.stranded.Inc() }

// Replayed counts a request that gets the answer of an earlier one.
func (j *jobs) Replayed() { j.replays.Inc() }
