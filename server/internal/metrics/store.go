package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// store describes the metrics of the database.
type store struct {
	up, jobs, oldest, steps, places, deliveries, processes, bytes, blobs, blobsAt *prometheus.Desc
	queues                                                                        []string
}

// WatchStore shows the state of the database and of the queues at each scrape. If the database
// does not answer, only the metric store_up is shown, with the value 0. WatchStore must be
// called at most once.
func (m *Metrics) WatchStore(s *db.Store, queues []string) {
	d := &store{
		queues:     queues,
		up:         gauge("store_up", "1 if the database answers and accepts writes, 0 if not."),
		jobs:       gauge("jobs_running", "The number of jobs in the stage. Ended jobs do not count.", "stage"),
		oldest:     gauge("oldest_job_age_seconds", "Seconds since the request of the oldest job in the stage.", "stage"),
		steps:      gauge("queue_steps", "Steps that have not ended. `available`: the step waits for a worker. `scheduled` and `retryable`: the step waits for its time.", "queue", "state"),
		places:     gauge("asr_places", "Recordings that want recognition. `outside`: the recording waits, because no place is free. `waiting`: the service prepares the audio. `ready`: the audio waits for a slot. `running`: the recognizer works on the audio.", "state"),
		deliveries: gauge("webhook_oldest_waiting_seconds", "Seconds since the event of the oldest waiting delivery to a webhook; 0 if no delivery waits. A receiver that does not answer, or has not answered its first test yet, holds it up for days: the account sees which one (`oldestWaitingAt`). Steps that wait in the queues `webhooks` and `webhooks_slow` for minutes mean that the service itself is behind."),
		processes:  gauge("processes", "The number of processes that share the work. A process counts if it gave a sign of life in the last minute."),
		bytes:      gauge("database_bytes", "The size of the database in bytes."),
		blobs:      gauge("blob_bytes", "The size in bytes of the stored `uploads`, of the prepared `audio` and of the copies for `playing`, as the last hourly sweep found it. `recordings` are the kept recordings and their copies, which are also counted in the other kinds.", "kind"),
		blobsAt:    gauge("blob_measured_timestamp_seconds", "When the last sweep measured `transcriptkit_blob_bytes`, in seconds since 1970.", "kind"),
	}
	m.registry.MustRegister(&glance[look]{
		describe: []*prometheus.Desc{d.up, d.jobs, d.oldest, d.steps, d.places, d.deliveries, d.processes, d.bytes, d.blobs, d.blobsAt},
		look:     func(ctx context.Context) (look, error) { return lookAt(ctx, s) },
		show:     d.show,
	})
}

// look is the state of a database at one time.
type look struct {
	db.Status
	at       time.Time
	writable bool
}

func lookAt(ctx context.Context, s *db.Store) (look, error) {
	now := time.Now()
	status, err := s.Status(ctx)
	return look{status, now, err == nil && s.Ping(ctx) == nil}, err
}

func (d *store) show(seen look, err error, out chan<- prometheus.Metric) {
	if err != nil {
		send(out, d.up, 0)
		return
	}
	up := 0
	if seen.writable {
		up = 1
	}
	send(out, d.up, up)
	send(out, d.processes, seen.Processes)
	send(out, d.bytes, seen.Bytes)
	d.showJobs(seen, out)
	d.showDeliveries(seen, out)
	d.showQueue(seen, out)
	for _, m := range seen.Blobs {
		send(out, d.blobs, m.Value, m.Name)
		send(out, d.blobsAt, m.MeasuredAt.Unix(), m.Name)
	}
}

func (d *store) showJobs(seen look, out chan<- prometheus.Metric) {
	in := map[transcript.Stage]db.StageJobs{}
	for _, s := range seen.Jobs {
		in[s.Stage] = s
	}
	for _, stage := range workStages() {
		s, age := in[stage], time.Duration(0)
		if s.Jobs > 0 {
			age = max(seen.at.Sub(s.Oldest), 0) // another machine's clock may be ahead
		}
		send(out, d.jobs, s.Jobs, string(stage))
		send(out, d.oldest, age.Seconds(), string(stage))
	}
	places := map[db.PlaceState]int{}
	for _, p := range seen.Places {
		places[p.State] = p.Places
	}
	for _, state := range []db.PlaceState{db.Outside, db.Waiting, db.Ready, db.Running} {
		send(out, d.places, places[state], string(state))
	}
}

func (d *store) showDeliveries(seen look, out chan<- prometheus.Metric) {
	age := time.Duration(0)
	for _, oldest := range seen.Deliveries {
		age = max(seen.at.Sub(oldest), 0)
	}
	send(out, d.deliveries, age.Seconds())
}

func (d *store) showQueue(seen look, out chan<- prometheus.Metric) {
	type row struct{ queue, state string }
	steps := map[row]int{}
	for _, q := range seen.Queue {
		steps[row{q.Queue, q.State}] = q.Steps
	}
	for _, name := range d.queues {
		for _, state := range queue.States() {
			send(out, d.steps, steps[row{name, state}], name, state)
		}
	}
}
