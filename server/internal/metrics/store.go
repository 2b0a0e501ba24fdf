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
		up:         gauge("store_up", "1 while the database answers and can be written to, else 0. If the database does not answer, all other metrics from the database are missing."),
		jobs:       gauge("jobs_running", "Jobs that have not ended, by stage.", "stage"),
		oldest:     gauge("oldest_job_age_seconds", "Time since the request for the oldest job in a stage; 0 if the stage has no job.", "stage"),
		steps:      gauge("queue_steps", "Steps that have not ended, by queue and state. Available steps wait for a worker, scheduled and retryable steps for their time.", "queue", "state"),
		places:     gauge("asr_places", "Recordings for speech recognition, by state: outside (the account has no free place), waiting (being prepared), ready (waiting for a slot), running.", "state"),
		deliveries: gauge("webhook_oldest_waiting_seconds", "Time since the event of the oldest delivery to a webhook that waits; 0 if none waits."),
		processes:  gauge("processes", "Processes that work on the queue and have reported in the last minute."),
		bytes:      gauge("database_bytes", "Size of the database."),
		blobs:      gauge("blob_bytes", "Size of uploads, of audio that waits for its job and of copies for playing, at the last measurement. Recordings that accounts keep, with their copies, are a kind of their own and count in the others too.", "kind"),
		blobsAt:    gauge("blob_measured_timestamp_seconds", "Time of the last measurement of blob_bytes. It takes place every hour.", "kind"),
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
