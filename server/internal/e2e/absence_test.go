package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The recorded answers of a program that asks several players, and what plays them back.
const (
	playersAnswers = "../../engine/ytdlp/testdata/players/answers.json"
	playersProgram = "../../engine/ytdlp/testdata/yt-dlp-players"
	aTalk          = "talk0000001"
)

// players is a case of the recorded answers.
type players struct {
	release string // of the program that gave the answers

	Name   string
	Want   transcript.Code // of the error; empty: the program proves that there are no captions
	Tracks int
	Plain  programAnswer
	Alone  programAnswer
}

type programAnswer struct {
	Info   json.RawMessage
	Stderr string
	Code   int
	Pages  map[string]string
}

// recorded returns the cases without tracks that prove that there are no captions, or those that do not.
// With -soak it returns all of them, else some, and with -short one or two.
func recorded(t *testing.T, proven bool) (cases []players) {
	t.Helper()
	data, err := os.ReadFile(playersAnswers)
	require.NoError(t, err)
	var all struct {
		Release string
		Cases   []players
	}
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all.Cases)
	some := []string{"bot check beside formats", "no tracks", "429 of the API", "tracks without an address", "no runtime, none"}
	if testing.Short() {
		some = some[:2]
	}
	for _, c := range all.Cases {
		if c.release = all.Release; c.Tracks == 0 && (c.Want == "") == proven && (*soakFlag || slices.Contains(some, c.Name)) {
			cases = append(cases, c)
		}
	}
	return cases
}

// program sets up what answers as in the case, and returns its path.
func (c players) program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "pages"), 0o700))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("release", c.release)
	for how, answer := range map[string]programAnswer{"plain": c.Plain, "alone": c.Alone} {
		write(how+".info", string(answer.Info))
		write(how+".stderr", answer.Stderr)
		write(how+".code", strconv.Itoa(answer.Code))
		for name, page := range answer.Pages {
			write("pages/"+name, page)
		}
	}
	script, err := filepath.Abs(playersProgram)
	require.NoError(t, err)
	path := filepath.Join(dir, "yt-dlp")
	require.NoError(t, os.Symlink(script, path))
	return path
}

// startBlocked starts a service whose own route to the video site is blocked, and whose
// downloader is a program.
func startBlocked(t *testing.T, program string) *service {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	t.Cleanup(web.Close)
	host := strings.TrimPrefix(web.URL, "http://")
	guard, err := egress.New(egress.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	// The program keeps its files beside itself, where a confined one reads none.
	programs, err := run.New(run.Config{Dir: t.TempDir(), Guard: guard, WithoutLandlock: true})
	require.NoError(t, err)
	return startService(t, func(c *server.Config) {
		c.Egress.Allow = []string{host}
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			route, err := videosite.New(h, videosite.Options{Base: web.URL})
			require.NoError(t, err)
			unconfined := h
			unconfined.Programs = programs
			downloader, err := ytdlp.New(unconfined, ytdlp.Options{Program: program})
			return engine.Engine{
				Captions: []engine.CaptionSource{route, downloader}, Audio: downloader,
				Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h),
			}, err
		}
	})
}

// While the site blocks the service's own route, the downloader may find no captions without a proof that
// there are none. Then the service recognizes nothing, charges nothing, and reports the block.
func TestBlockIsNoAbsence(t *testing.T) {
	t.Parallel()
	once := client.WithRetry(client.NoRetry)
	for _, test := range recorded(t, false) {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("job", func(t *testing.T) {
				t.Parallel()
				program := test.program(t)
				s := startBlocked(t, program)
				now := time.Duration(0)
				res, job, err := s.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, aTalk), Wait: &now})
				require.NoError(t, err)
				require.Nil(t, res)
				require.Eventually(t, func() bool {
					_, err := os.Stat(filepath.Join(filepath.Dir(program), "runs"))
					job, failed := s.Jobs.Get(t.Context(), job.JobID)
					return failed == nil && (err == nil && job.Stage != transcript.StageCaptionFetch && job.Attempt == 1 || job.Status.Terminal())
				}, time.Minute, 20*time.Millisecond)
				job, err = s.Jobs.Get(t.Context(), job.JobID)
				require.NoError(t, err)
				if job.Status == transcript.JobFailed {
					assert.Equal(t, transcript.LoginRequired, job.Error.Code)
				} else {
					assert.Equal(t, transcript.StageQueued, job.Stage, "it waits for the block to pass")
				}
				s.uncharged(t)
			})
			t.Run("captions", func(t *testing.T) {
				t.Parallel()
				s := startBlocked(t, test.program(t))
				_, err := s.Transcripts.Captions(t.Context(), aTalk, []string{"en"}, once)
				var e *client.Error
				require.ErrorAs(t, err, &e)
				assert.Contains(t, []transcript.Code{transcript.IPBlocked, transcript.LoginRequired}, e.Code)
				s.uncharged(t)
			})
			t.Run("info", func(t *testing.T) {
				t.Parallel()
				s := startBlocked(t, test.program(t))
				_, err := s.Transcripts.Info(t.Context(), transcript.ID(transcript.VideoSite, aTalk), once)
				var e *client.Error
				require.ErrorAs(t, err, &e)
				assert.Contains(t, []transcript.Code{transcript.IPBlocked, transcript.LoginRequired}, e.Code)
			})
		})
	}
}

// While the site blocks the service's own route, the downloader may prove that a video has no captions.
// Then the service reports that, and does not wait until the block passes.
func TestAbsenceBesideABlock(t *testing.T) {
	t.Parallel()
	for _, test := range recorded(t, true) {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			s := startBlocked(t, test.program(t))
			report, err := s.Transcripts.Captions(t.Context(), aTalk, []string{"en"}, client.WithRetry(client.NoRetry))
			require.NoError(t, err)
			require.NotNil(t, report.CaptionAvailable)
			assert.False(t, *report.CaptionAvailable)
			info, err := s.Transcripts.Info(t.Context(), transcript.ID(transcript.VideoSite, aTalk))
			require.NoError(t, err)
			require.NotNil(t, info.CaptionAvailable)
			assert.False(t, *info.CaptionAvailable)
			s.uncharged(t)
		})
	}
}

// uncharged holds that no minute of recognition is used or set aside.
func (s *service) uncharged(t *testing.T) {
	t.Helper()
	u, err := s.Usage.Get(t.Context())
	require.NoError(t, err)
	assert.Zero(t, u.ASRMinutes.Used)
	assert.Zero(t, u.ASRMinutes.Reserved)
}
