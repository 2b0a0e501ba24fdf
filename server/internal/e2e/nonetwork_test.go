package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// TestNoNetwork asks for a link on a machine that cannot look up the site's name. The job and the
// batch speak of this machine and of the host as soon as they are tried again, whichever source
// was asked.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	const base = "https://nowhere.invalid"
	program, err := filepath.Abs("../../engine/ytdlp/testdata/yt-dlp-pages")
	require.NoError(t, err)
	sources := map[string]func(h engine.Host) (engine.CaptionSource, error){
		"own route": func(h engine.Host) (engine.CaptionSource, error) {
			return videosite.New(h, videosite.Options{Base: base})
		},
		"yt-dlp": func(h engine.Host) (engine.CaptionSource, error) {
			return ytdlp.New(h, ytdlp.Options{Program: program})
		},
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, func(c *server.Config) {
				sites, err := site.Default().Override(strings.NewReader(`{"video_site": {"hosts": ["nowhere.invalid"], "base": "` + base + `"}}`))
				require.NoError(t, err)
				c.Sites = sites
				c.Engine = func(h engine.Host) (engine.Engine, error) {
					captions, err := source(h)
					return engine.Engine{Captions: []engine.CaptionSource{captions}}, err
				}
			})
			made, err := s.Batches.Create(t.Context(), client.BatchParams{URLs: []string{base + "/watch?v=dQw4w9WgXcQ"}})
			require.NoError(t, err)
			var why *transcript.LastError
			require.Eventually(t, func() bool {
				now, err := s.Batches.Get(t.Context(), made.ID)
				require.NoError(t, err)
				why = now.LastError
				return why != nil
			}, time.Minute, 50*time.Millisecond)
			assert.Equal(t, transcript.UpstreamFailed, why.Code)
			assert.Equal(t, "This machine cannot reach nowhere.invalid.", why.Message)
			require.NotNil(t, why.Cure)
			assert.Contains(t, *why.Cure, "transcriptd doctor --network")

			var now time.Duration
			_, job, err := s.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.URL(base + "/watch?v=dQw4w9WgXcQ"), Wait: &now})
			require.NoError(t, err)
			for e, err := range s.Jobs.Events(t.Context(), job.JobID) {
				require.NoError(t, err)
				if e.Job.LastError != nil {
					assert.Equal(t, why.Message, e.Job.LastError.Message)
					break
				}
			}
		})
	}
}
