package main

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Metrics have a listener of their own, which shows health too, and the API does not
// show them.
func TestServeShowsMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--metrics", ":0")
	_, at, found := strings.Cut(p.greeting, `msg="showing metrics" addr=`)
	require.True(t, found, p.greeting)
	at, _, _ = strings.Cut(at, "\n")
	host, _, err := net.SplitHostPort(at)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", host, "without a host it is for this machine alone")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/metrics", nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	shown, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Contains(t, string(shown), "transcriptkit_build_info{")
	assert.Contains(t, string(shown), "go_goroutines ")

	assert.Equal(t, http.StatusOK, get(t, "http://"+at+"/healthz"))
	assert.Equal(t, http.StatusOK, get(t, "http://"+at+"/readyz"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+at+"/v1/transcript"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+p.addr+"/metrics"))

	// A port that is taken ends the start.
	code, _, stderr := finish(program(t, nil, "serve", "--listen", "127.0.0.1:0", "--metrics", at))
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, "--metrics")
	assert.Contains(t, stderr, at)

	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
	assert.NotContains(t, log, "level=ERROR")
	_, err = http.DefaultClient.Do(req)
	require.Error(t, err, "the listener is closed")
}

// A scraper that sends requests and reads no answer does not hold up the end.
func TestStalledScraperDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--metrics", ":0")
	_, at, _ := strings.Cut(p.greeting, `msg="showing metrics" addr=`)
	at, _, _ = strings.Cut(at, "\n")
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // it is not read
	requests := strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n", 1000)
	for { // until the service takes no more, as its answers are not read
		require.NoError(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		if _, err := io.WriteString(conn, requests); err != nil {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			break
		}
	}
	told := time.Now()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
	assert.Less(t, time.Since(told), stopTimeout)
}

// what is what a metric of a scrape has: each label with its values.
type what map[string]map[string]bool

// observed scrapes a service that has done some work: a link, an upload, a refusal.
func observed(t *testing.T) (text string, metrics map[string]what) {
	t.Helper()
	s := servertest.New(t)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	for _, source := range []transcript.Source{
		transcript.ID(transcript.VideoSite, "dQw4w9WgXcQ"),
		transcript.Media("talk.wav", 4, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("talk")), nil }),
	} {
		_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: source})
		require.NoError(t, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/usage", nil)
	require.NoError(t, err)
	refused := 0
	for range 2*60 + 1 { // on a slow machine, a minute may end in between
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		if refused = res.StatusCode; refused == http.StatusTooManyRequests {
			break
		}
	}
	require.Equal(t, http.StatusTooManyRequests, refused)
	require.Eventually(t, func() bool { // the first sweep has measured
		text = scraped(t, s.Metrics())
		return strings.Contains(text, "transcriptkit_blob_bytes{")
	}, time.Minute, 50*time.Millisecond)
	metrics = map[string]what{}
	series := regexp.MustCompile(`(?m)^(transcriptkit_\w+)(?:\{(.*)\})? \S+$`)
	for _, m := range series.FindAllStringSubmatch(text, -1) {
		if metrics[m[1]] == nil {
			metrics[m[1]] = what{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if metrics[m[1]][l[1]] == nil {
				metrics[m[1]][l[1]] = map[string]bool{}
			}
			metrics[m[1]][l[1]][l[3]] = true
		}
	}
	return text, metrics
}

// label is a label with its value, or a condition on it.
var label = regexp.MustCompile(`(\w+)(=~|!=|!~|=)"([^"]*)"`)

func scraped(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

// targetLabels are those that Prometheus adds, and which a service does not know.
var targetLabels = []string{"job", "instance"}

// checkQuery asserts that all that a query speaks of is there.
func checkQuery(t *testing.T, metrics map[string]what, query string) (names []string) {
	t.Helper()
	known := map[string]bool{"job": true, "instance": true}
	for _, m := range regexp.MustCompile(`(transcriptkit_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(query, -1) {
		names = append(names, m[1])
		has, ok := metrics[m[1]]
		if !assert.True(t, ok, "there is no %s: %s", m[1], query) {
			continue
		}
		for l := range has {
			known[l] = true
		}
		for _, condition := range label.FindAllStringSubmatch(m[2], -1) {
			if slices.Contains(targetLabels, condition[1]) {
				continue
			}
			for _, value := range strings.Split(condition[3], "|") {
				if condition[1] == "code" && flat[value] {
					continue // happens where a test makes it happen
				}
				assert.True(t, has[condition[1]][value], "%s has no %s=%q: %s", m[1], condition[1], value, query)
			}
		}
	}
	for _, m := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(query, -1) {
		for _, l := range strings.Split(m[1], ",") {
			assert.True(t, known[strings.TrimSpace(l)], "nothing here has the label %s: %s", l, query)
		}
	}
	return names
}

// flat are slugs of answers, whose series begin with the first of them.
var flat = map[string]bool{"internal_error": true}

// The dashboard, the alerts and metrics.md speak of what a service shows, and of all of it.
func TestMetricsAreWhatTheDashboardShows(t *testing.T) {
	t.Parallel()
	text, metrics := observed(t)

	b, err := os.ReadFile("grafana/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(b, &dashboard))
	require.Equal(t, "datasource", dashboard.Templating.List[0].Name)
	shown, ids := map[string]bool{}, map[int]bool{}
	for _, panel := range dashboard.Panels {
		assert.False(t, ids[panel.ID], "two panels have the id %d", panel.ID)
		ids[panel.ID] = true
		assert.LessOrEqual(t, panel.GridPos.X+panel.GridPos.W, 24, panel.Title)
		for _, target := range panel.Targets {
			for _, name := range checkQuery(t, metrics, target.Expr) {
				shown[family(name)] = true
			}
		}
	}

	alerts, err := os.ReadFile("prometheus/alerts.yml")
	require.NoError(t, err)
	require.NotEmpty(t, checkQuery(t, metrics, string(alerts)))

	exported := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (transcriptkit_\w+) `).FindAllStringSubmatch(text, -1) {
		exported[m[1]] = ""
	}
	for name, has := range metrics {
		labels := map[string]bool{}
		for l := range has {
			if l != "le" {
				labels["`"+l+"`"] = true
			}
		}
		if len(labels) > 0 {
			exported[family(name)] = strings.Join(slices.Sorted(maps.Keys(labels)), ", ")
		}
	}
	checkPage(t, "metrics.md", metricsPage(text, exported))
	for name := range exported {
		assert.True(t, shown[name], "no panel shows %s", name)
	}
}

// family is the metric that a series of a histogram belongs to.
func family(name string) string {
	return regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
}

// Prometheus's own tool finds no fault with the alerts, nor with what is shown. Each alert fires
// where it should, and has its cure in docs/operate/watch.md.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool := findPromtool(t)
	text, _ := observed(t)
	for _, c := range []struct{ args, stdin string }{
		{"check rules prometheus/alerts.yml", ""},
		{"test rules prometheus/alerts_test.yml", ""},
		{"check metrics", text},
	} {
		cmd := exec.CommandContext(t.Context(), promtool, strings.Fields(c.args)...)
		cmd.Stdin = strings.NewReader(c.stdin)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "promtool %s: %s", c.args, out)
	}

	rules, err := os.ReadFile("prometheus/alerts.yml")
	require.NoError(t, err)
	tests, err := os.ReadFile("prometheus/alerts_test.yml")
	require.NoError(t, err)
	watch, err := os.ReadFile("../../docs/operate/watch.md")
	require.NoError(t, err)
	var alerts, cures []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(Transcriptkit\\w+)` \\| ").FindAllStringSubmatch(string(watch), -1) {
		cures = append(cures, m[1])
	}
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		alerts = append(alerts, m[1])
		assert.Contains(t, string(tests), "- alertname: "+m[1]+"\n", "no test makes it fire")
		assert.Contains(t, string(tests), "{alertname: "+m[1]+",", "no test sees it silent")
	}
	assert.Equal(t, alerts, cures, "docs/operate/watch.md says what to do about each alert")
}

// findPromtool is where make setup has put it, or the system's.
func findPromtool(t *testing.T) string {
	t.Helper()
	if path, err := filepath.Abs("../../bin/promtool"); err == nil {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no promtool: run make setup")
	}
	require.NoError(t, err)
	return path
}
