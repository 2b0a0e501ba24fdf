package server_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// only are the series that stand above zero and begin with a name.
func only(values map[string]float64, name string) map[string]float64 {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(series string, v float64) bool { return v == 0 || !strings.HasPrefix(series, name) })
	return values
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
		`transcriptkit_http_requests_total{method="GET",route="/v1/transcript/job/{id}",status="404"}`: 3,
		`transcriptkit_http_requests_total{method="GET",route="/v1/transcript/job/{id}",status="401"}`: 1,
		`transcriptkit_http_requests_total{method="HEAD",route="/healthz",status="200"}`:               1,
		`transcriptkit_http_requests_total{method="other",route="/v1/transcript",status="405"}`:        2,
		`transcriptkit_http_requests_total{method="GET",route="none",status="404"}`:                    1,
	}, without(only(values, "transcriptkit_http_requests_total"), "/docs/openapi.json"))
	assert.Equal(t, map[string]float64{
		`transcriptkit_http_refusals_total{code="NOT_FOUND"}`:          3,
		`transcriptkit_http_refusals_total{code="unauthorized"}`:       1,
		`transcriptkit_http_refusals_total{code="method_not_allowed"}`: 2,
		`transcriptkit_http_refusals_total{code="not_found"}`:          1,
	}, only(values, "transcriptkit_http_refusals_total"))
	assert.Equal(t, 4.0, values[`transcriptkit_http_request_duration_seconds{method="GET",route="/v1/transcript/job/{id}"}`])
}

// without leaves out the series that a test's own look at the API's document makes.
func without(values map[string]float64, part string) map[string]float64 {
	maps.DeleteFunc(values, func(series string, _ float64) bool { return strings.Contains(series, part) })
	return values
}
