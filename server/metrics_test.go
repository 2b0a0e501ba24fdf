package server_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// scrape returns what Prometheus would read of a handler of metrics: the values of
// counters and gauges, and the counts of histograms, by series as in
// `name{label="value"}`.
func scrape(t testing.TB, h http.Handler) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(w.Body)
	require.NoError(t, err)
	values := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+`="`+l.GetValue()+`"`)
			}
			series := name
			if len(labels) > 0 {
				series += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.Counter != nil:
				values[series] = m.GetCounter().GetValue()
			case m.Gauge != nil:
				values[series] = m.GetGauge().GetValue()
			case m.Histogram != nil:
				values[series] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return values
}

// family are the series of a metric that stand above zero, by their labels.
func family(values map[string]float64, name string) map[string]float64 {
	series := map[string]float64{}
	for s, v := range values {
		if labels, ok := strings.CutPrefix(s, name); ok && v != 0 && (labels == "" || labels[0] == '{') {
			series[labels] = v
		}
	}
	return series
}

func TestMetricsOfRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 3 {
		s.get(t, "/v1/transcript/job/018f7d2e-1111-7000-8000-000000000000")
	}
	s.get(t, "/v1/transcript/job/018f7d2e-1111-7000-8000-000000000000", as(""))
	s.do(t, http.MethodHead, "/healthz", nil)
	s.do(t, "BREW", "/v1/transcript", nil)
	s.do(t, "POUR", "/v1/transcript", nil)
	s.get(t, "/nowhere/"+strings.Repeat("x", 100))

	values := scrape(t, s.Metrics())
	assert.Equal(t, map[string]float64{
		`{method="GET",route="/v1/transcript/job/{id}",status="404"}`: 3,
		`{method="GET",route="/v1/transcript/job/{id}",status="401"}`: 1,
		`{method="HEAD",route="/healthz",status="200"}`:               1,
		`{method="other",route="/v1/transcript",status="405"}`:        2,
		`{method="GET",route="none",status="404"}`:                    1,
	}, without(family(values, "transcriptkit_http_requests_total"), "/docs/openapi.json"))
	assert.Equal(t, map[string]float64{
		`{code="NOT_FOUND"}`:          3,
		`{code="unauthorized"}`:       1,
		`{code="method_not_allowed"}`: 2,
		`{code="not_found"}`:          1,
	}, family(values, "transcriptkit_http_refusals_total"))
	assert.Equal(t, 4.0, values[`transcriptkit_http_request_duration_seconds{method="GET",route="/v1/transcript/job/{id}"}`])
}

// without leaves out the series that a test's own look at the API's document makes.
func without(values map[string]float64, part string) map[string]float64 {
	maps.DeleteFunc(values, func(series string, _ float64) bool { return strings.Contains(series, part) })
	return values
}

// What a server does is counted once each, whoever asked for it.
func TestMetricsOfWork(t *testing.T) {
	t.Parallel()
	s := start(t)
	const link = "https://video.example/watch?v="
	text(t, s.link(t, link+video))
	text(t, s.link(t, link+video)) // from the cache
	s.get(t, "/v1/video_site/captions?videoId="+video)
	s.get(t, "/v1/transcript/info?platform=video_site&externalId="+video)

	s.Engine.SetTracks() // no captions: the sound
	text(t, s.link(t, link+"aaaaaaaaaaa"))
	require.Equal(t, http.StatusOK, s.upload(t, "talk", header("Idempotency-Key", "k")).StatusCode)
	require.Equal(t, http.StatusOK, s.upload(t, "talk", header("Idempotency-Key", "k")).StatusCode)

	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "This is no recording."))
	require.Equal(t, http.StatusUnprocessableEntity, s.upload(t, "noise").StatusCode)
	s.Engine.FailMedia(nil)

	s.Engine.FailCaptions(transcript.Errorf(transcript.POTokenRequired, "A token, please."))
	s.link(t, link+"bbbbbbbbbbb")
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	s.link(t, link+"ccccccccccc")
	blocked := transcript.Errorf(transcript.IPBlocked, "Prove that you are a person.")
	blocked.RetryAfter = 3600
	s.Engine.FailCaptions(blocked)
	s.get(t, "/v1/video_site/captions?videoId=ddddddddddd") // visits
	s.get(t, "/v1/video_site/captions?videoId=ddddddddddd") // is held back

	release := s.Engine.Hold()
	id := s.job(t, "more")
	require.NoError(t, s.Engine.Await(t.Context(), 3))
	assert.Eventually(t, func() bool {
		return scrape(t, s.Metrics())[`transcriptkit_jobs_running{stage="asr_running"}`] == 1
	}, time.Minute, 100*time.Millisecond)
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, "/v1/transcript/job/"+id+"/cancel", nil).StatusCode)
	const swept = `transcriptkit_blob_measured_timestamp_seconds{kind="uploads"}` // by the sweep of the start
	require.Eventually(t, func() bool {                                           // the recognizer is still held: what ends is what was canceled
		values := scrape(t, s.Metrics())
		return len(family(values, "transcriptkit_jobs_running")) == 0 && len(family(values, "transcriptkit_queue_steps")) == 0 && values[swept] > 0
	}, time.Minute, 100*time.Millisecond)
	release()

	values := scrape(t, s.Metrics())
	for name, want := range map[string]map[string]float64{
		"transcriptkit_jobs_accepted_total": {
			`{platform="video_site"}`: 4,
			`{platform="upload"}`:     3,
		},
		"transcriptkit_jobs_ended_total": {
			`{code="",status="success"}`:                 3,
			`{code="",status="cancelled"}`:               1,
			`{code="UPLOAD_INVALID",status="failed"}`:    1,
			`{code="PO_TOKEN_REQUIRED",status="failed"}`: 1,
			`{code="UNAVAILABLE",status="failed"}`:       1,
		},
		"transcriptkit_job_duration_seconds": {`{status="success"}`: 3, `{status="failed"}`: 3, `{status="cancelled"}`: 1},
		"transcriptkit_stage_duration_seconds": {
			`{stage="queued"}`:         7,
			`{stage="caption_fetch"}`:  4,
			`{stage="duration_check"}`: 4,
			`{stage="asr_queued"}`:     3,
			`{stage="asr_running"}`:    3,
			`{stage="publishing"}`:     3,
		},
		"transcriptkit_upstream_answers_total": {
			`{class="ok",platform="video_site",source="captions"}`:      1,
			`{class="empty",platform="video_site",source="captions"}`:   2,
			`{class="pot",platform="video_site",source="captions"}`:     1,
			`{class="blocked",platform="video_site",source="captions"}`: 1,
			`{class="ok",platform="video_site",source="audio"}`:         1,
		},
		"transcriptkit_upstream_held_back_total": {`{platform="video_site"}`: 1},
		"transcriptkit_circuit_open":             {`{platform="video_site",source="captions"}`: 1},
		"transcriptkit_exit_visits_total":        {`{class="answered",exit="direct"}`: 5, `{class="blocked",exit="direct"}`: 1},
		"transcriptkit_exit_circuits_open":       {`{exit="direct"}`: 1},
		"transcriptkit_cache_lookups_total": {
			`{asker="transcript",result="hit"}`:  1,
			`{asker="transcript",result="miss"}`: 7,
			`{asker="captions",result="hit"}`:    1,
			`{asker="captions",result="miss"}`:   2,
			`{asker="info",result="hit"}`:        1,
		},
		"transcriptkit_asr_audio_seconds_total":  {`{engine="scripted"}`: 20},
		"transcriptkit_asr_real_time_factor":     {`{engine="scripted"}`: 2},
		"transcriptkit_idempotent_replays_total": {``: 1},
		"transcriptkit_work_rescued_total":       {},
		"transcriptkit_work_stranded_total":      {},
		"transcriptkit_store_up":                 {``: 1},
		"transcriptkit_processes":                {``: 1},
	} {
		assert.Equal(t, want, family(values, name), name)
	}
	for _, positive := range []string{
		"transcriptkit_database_bytes", `transcriptkit_disk_free_bytes{folder="database"}`, `transcriptkit_disk_free_bytes{folder="blobs"}`,
		`transcriptkit_disk_free_bytes{folder="scratch"}`, `transcriptkit_asr_work_seconds_total{engine="scripted"}`,
	} {
		assert.Positive(t, values[positive], positive)
	}
}

// Refusals of every family are counted by their code or slug.
func TestMetricsOfRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	poor := s.NewKey(t, "poor")
	_, err := s.Accounts.Set(t.Context(), "poor", account.Settings{Suspended: new(true)})
	require.NoError(t, err)
	narrow := s.NewKey(t, "narrow", account.Batches)
	id := s.job(t, "talk")
	s.ended(t, id)
	s.get(t, "/v1/transcript/job/"+video)
	s.get(t, "/v1/transcript/job/018f7d2e-1111-7000-8000-000000000000", as(poor))
	s.get(t, "/v1/transcript/job/018f7d2e-1111-7000-8000-000000000000", as(narrow))
	s.do(t, http.MethodPost, "/v1/transcript/job/"+id+"/cancel", nil)
	s.postJSON(t, body(t, "https://nowhere.example/x"))
	s.postJSON(t, `{"url": 1}`)
	for range 61 {
		s.get(t, "/v1/transcript/info", as("tr_wrong"))
	}
	assert.Equal(t, map[string]float64{
		`{code="NOT_FOUND"}`:            1,
		`{code="UPGRADE_REQUIRED"}`:     1,
		`{code="FORBIDDEN"}`:            1,
		`{code="STATE_CONFLICT"}`:       1,
		`{code="UNSUPPORTED_PLATFORM"}`: 1,
		`{code="INVALID_REQUEST"}`:      1,
		`{code="invalid_credential"}`:   60,
		`{code="rate_limited"}`:         1,
	}, family(scrape(t, s.Metrics()), "transcriptkit_http_refusals_total"))
}

// Work of a process that is taken for dead is counted as rescued, once.
func TestMetricsOfRescuedWork(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	a := startOn(t, o)
	stuck := make(chan struct{})
	unstick := sync.OnceFunc(func() { close(stuck) })
	t.Cleanup(unstick)
	told := make(chan struct{})
	a.Engine.SetRecognize(func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		<-ctx.Done()
		close(told)
		<-stuck // all the same
		return engine.Recognition{}, errors.New("too late")
	})
	id := a.job(t, "talk")
	require.NoError(t, a.Engine.Await(t.Context(), 1))
	require.Eventually(t, func() bool { // the queue notes the end of steps a little later
		return storetest.Count(t, o, "river_job WHERE state = 'running'") == 1
	}, time.Minute, 10*time.Millisecond)
	_, err := storetest.SQL(t, o).ExecContext(t.Context(), "DELETE FROM processes")
	require.NoError(t, err)
	<-told // it has found out, and takes nothing more for a while

	b := startOn(t, o)
	key := b.NewKey(t, servertest.Account)
	require.Eventually(t, func() bool {
		return b.get(t, "/v1/transcript/job/"+id, as(key)).object(t)["status"] == "success"
	}, time.Minute, 10*time.Millisecond)
	// Either of the two may do what is left to do, and what is counted, once. What the
	// first ends while its own life ends, it does not count: its commit gets no answer.
	count := func(series string) float64 { return scrape(t, a.Metrics())[series] + scrape(t, b.Metrics())[series] }
	require.Eventually(t, func() bool { return count("transcriptkit_work_rescued_total") == 1 }, time.Minute, 10*time.Millisecond)
	assert.LessOrEqual(t, count(`transcriptkit_jobs_ended_total{code="",status="success"}`), 1.0)
}

// A scrape neither waits for a database that is away, nor fails: it shows what is
// counted here, and that the database does not answer.
func TestMetricsWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*storetest.Line){"gone": (*storetest.Line).Cut, "silent": (*storetest.Line).Silence} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, o := storetest.Behind(t, storetest.Postgres(t))
			s := startOn(t, o)
			release := s.Engine.Hold()
			defer release()
			s.job(t, "talk")
			require.NoError(t, s.Engine.Await(t.Context(), 1))
			require.Eventually(t, func() bool { // on a busy machine the first look may take the database for away
				return scrape(t, s.Metrics())["transcriptkit_store_up"] == 1
			}, time.Minute, 10*time.Millisecond)
			away(line)
			require.Eventually(t, func() bool { // what was seen before is shown for some seconds
				return scrape(t, s.Metrics())["transcriptkit_store_up"] == 0
			}, time.Minute, 10*time.Millisecond)
			var scrapes sync.WaitGroup
			for range 20 {
				scrapes.Go(func() {
					began := time.Now()
					values := scrape(t, s.Metrics())
					assert.Less(t, time.Since(began), scrapeTime)
					assert.Contains(t, values, "transcriptkit_store_up")
					assert.Zero(t, values["transcriptkit_store_up"])
					assert.NotContains(t, values, "transcriptkit_database_bytes", "nobody knows")
					assert.Equal(t, map[string]float64{`{platform="upload"}`: 1}, family(values, "transcriptkit_jobs_accepted_total"))
					assert.Positive(t, values[`transcriptkit_disk_free_bytes{folder="scratch"}`])
				})
			}
			scrapes.Wait()
			line.Mend()
			require.Eventually(t, func() bool {
				values := scrape(t, s.Metrics())
				return values["transcriptkit_store_up"] == 1 && values[`transcriptkit_jobs_running{stage="asr_running"}`] == 1
			}, time.Minute, 50*time.Millisecond)
		})
	}
}

// scrapeTime is far above what a scrape takes at most, 1.5 s: a busy machine adds to it,
// and one that waits for the database lasts as long as that is away.
const scrapeTime = 5 * time.Minute

// While another program locks the file, what is stored is still read.
func TestMetricsWhileSQLiteIsLocked(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, release := s.heldJob(t, "talk")
	defer release()
	unlock := s.lockDatabase(t)
	require.Eventually(t, func() bool {
		began := time.Now()
		values := scrape(t, s.Metrics())
		assert.Less(t, time.Since(began), scrapeTime)
		return values["transcriptkit_store_up"] == 0 && values[`transcriptkit_jobs_running{stage="asr_running"}`] == 1
	}, time.Minute, 10*time.Millisecond)
	unlock()
	require.Eventually(t, func() bool { return scrape(t, s.Metrics())["transcriptkit_store_up"] == 1 }, time.Minute, 50*time.Millisecond)
}
