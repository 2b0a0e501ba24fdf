package ytdlp_test

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// runCounter counts the runs of programs.
type runCounter struct {
	engine.Runner
	runs atomic.Int64
}

func (c *runCounter) Run(ctx context.Context, command engine.Command) (engine.Exit, error) {
	c.runs.Add(1)
	return c.Runner.Run(ctx, command)
}

// What a question takes yt-dlp itself, at a site that answers at once, and how many runs.
func BenchmarkDiscovery(b *testing.B) {
	server := httptest.NewUnstartedServer(nil)
	site := sitetest.NewCatalog("http://" + server.Listener.Addr().String())
	server.Config.Handler = sitetest.Pages{Catalog: site}.Handler()
	server.Start()
	b.Cleanup(server.Close)
	guard, err := egress.New(egress.Config{Allow: []string{server.Listener.Addr().String()}})
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, guard.Close()) })
	dir := b.TempDir()
	runner, err := run.New(run.Config{Dir: dir, Guard: guard})
	require.NoError(b, err)
	programs := &runCounter{Runner: runner}
	d := newAtSite(b, engine.Host{Programs: programs, Confined: true, Judge: guard.JudgeLink, Dir: dir}, server.URL, "yt-dlp-site")
	at := engine.Window{Max: 20}
	search := video.Search{Q: "talk", Type: video.TypeVideo, Order: video.ByRelevance}
	_, err = d.Search(b.Context(), search, at) // the version is known afterwards
	require.NoError(b, err)
	videos := func(n int) func() error {
		var contents []engine.Content
		for i := range n {
			contents = append(contents, site.Content(sitetest.TalkID(i)))
		}
		return func() error { return second(d.Videos(b.Context(), contents)) }
	}
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"search", func() error { return second(d.Search(b.Context(), search, at)) }},
		{"videos=1", videos(1)},
		{"videos=50", videos(50)},
		{"channel", func() error { return second(d.Channel(b.Context(), site.ListOf("@talks"))) }},
		{"uploads", func() error {
			return second(d.Uploads(b.Context(), site.ListOf(sitetest.TalksChannel), video.All, at))
		}},
		{"uploads_by_name", func() error { return second(d.Uploads(b.Context(), site.ListOf("@talks"), video.All, at)) }},
		{"items", func() error { return second(d.Items(b.Context(), site.ListOf(sitetest.TalksPlaylist), at)) }},
	} {
		b.Run(q.name, func(b *testing.B) {
			before := programs.runs.Load()
			for b.Loop() {
				require.NoError(b, q.ask())
			}
			b.ReportMetric(float64(programs.runs.Load()-before)/float64(b.N), "runs/op")
		})
	}
}
