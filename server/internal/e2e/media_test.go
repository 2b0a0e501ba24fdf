package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// record makes a media file with ffmpeg and returns its path.
func record(t testing.TB, name, arguments string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := append([]string{"-nostdin", "-v", "error"}, strings.Fields(arguments)...)
	out, err := exec.CommandContext(t.Context(), "ffmpeg", append(args, path)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// truncated is the first half of a file.
func truncated(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return file(t, "half-"+filepath.Base(path), string(b[:len(b)/2]))
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// refusal submits a file and returns the error that the service answers.
func (s *service) refusal(t *testing.T, path string) *client.Error {
	t.Helper()
	wait := 10 * time.Second
	_, job, err := s.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(path), Wait: &wait})
	if err == nil && job != nil { // it takes longer than POST may wait
		_, err = s.Jobs.Wait(t.Context(), job.JobID)
		failed := new(client.JobError)
		require.ErrorAs(t, err, &failed)
		return &client.Error{Code: failed.Job.Error.Code, Message: failed.Job.Error.Message, Details: failed.Job.Error.Details,
			Response: client.Response{StatusCode: failed.Job.Error.HTTPStatus()}}
	}
	refused := new(client.Error)
	require.ErrorAs(t, err, &refused)
	return refused
}

func TestBadMedia(t *testing.T) {
	t.Parallel()
	secret := speechtest.Say(t, "the secret of another customer")
	var asked atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(target.Close)
	hls := func(uri string) string {
		return file(t, "movie.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n"+uri+"\n#EXT-X-ENDLIST\n")
	}
	tone := "-f lavfi -i sine=f=300:d=20"
	files := map[string]string{
		"a text":             file(t, "talk.mp3", strings.Repeat("no sound in here\n", 500)),
		"no sound":           record(t, "silent.mp4", "-f lavfi -i testsrc=d=2 -c:v mpeg4"),
		"cut m4a, moov last": truncated(t, record(t, "talk.m4a", tone+" -c:a aac")),
		"playlist to http":   hls(target.URL + "/segment.ts"),
		"playlist to a file": hls("file://" + secret),
		"concat":             file(t, "movie.mp4", "ffconcat version 1.0\nfile '"+secret+"'\n"),
		"dash": file(t, "movie.mp4", `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S"><Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1"><BaseURL>`+
			target.URL+`/a.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`),
	}
	s := startService(t)
	for name, path := range files {
		refused := s.refusal(t, path)
		assert.Equal(t, transcript.UploadInvalid, refused.Code, "%s: %s", name, refused.Message)
		assert.Equal(t, http.StatusUnprocessableEntity, refused.Response.StatusCode, name)
		assert.NotContains(t, refused.Message, string(filepath.Separator), "%s: the message tells a path", name)
	}
	assert.Zero(t, asked.Load(), "a file made the service ask another server")
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 20*time.Millisecond, "%v", s.leftovers(t))
}

// TestOddRecordings sends recordings of which a part is easily lost.
func TestOddRecordings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ask := func(path string, how transcript.Listening) *transcript.Result {
		result, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(path), Listening: how})
		require.NoError(t, err, path)
		return result
	}
	cut := truncated(t, record(t, "talk.wav", "-f lavfi -i sine=f=300:d=4"))
	held := ask(cut, transcript.Listening{})
	require.NotNil(t, held.CutOff)
	assert.InDelta(t, 2, held.CutOff.HeldSec, 0.1)
	assert.InDelta(t, 4, held.CutOff.AnnouncedSec, 0.1)
	assert.Equal(t, 2, *held.LengthSeconds)
	_, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(cut), Listening: transcript.Listening{RequireWhole: true}})
	assert.ErrorIs(t, err, transcript.UploadInvalid)

	tracks := record(t, "tracks.mp4", "-f lavfi -i anullsrc=d=3 -f lavfi -i sine=f=300:d=3 -map 0:a -map 1:a -c:a aac")
	assert.Equal(t, 2, ask(tracks, transcript.Listening{}).Track(), "the first is silent")
	assert.Equal(t, 1, ask(tracks, transcript.Listening{AudioTrack: "1"}).Track())

	first, err := os.ReadFile(record(t, "a.webm", "-f lavfi -i sine=f=300:d=3 -c:a libopus"))
	require.NoError(t, err)
	twice := ask(file(t, "restarted.webm", string(first)+string(first)), transcript.Listening{})
	assert.Equal(t, 6, *twice.LengthSeconds)
	assert.Zero(t, twice.UnreadBytes)
	assert.Equal(t, twice.Sound, twice.Transcript.Sound)
}

// TestMediaOfManyHours holds the service to its own bound, also against a file
// that does not say how long it is.
func TestMediaOfManyHours(t *testing.T) {
	full(t)
	t.Parallel()
	s := startService(t)
	thirteen := "-f lavfi -i anullsrc=r=8000:cl=mono:d=46800 -c:a flac -compression_level 0"
	honest := record(t, "long.flac", thirteen)
	refused := s.refusal(t, honest)
	assert.Equal(t, transcript.MediaTooLarge, refused.Code, refused.Message)
	assert.EqualValues(t, 12*3600, refused.Details["limitSec"])

	quiet := startService(t, func(c *server.Config) { c.Limits.MaxMediaDuration = time.Minute })
	mute := withoutLength(t, honest)
	began := time.Now()
	refused = quiet.refusal(t, mute)
	assert.Equal(t, transcript.MediaTooLarge, refused.Code, refused.Message)
	assert.Less(t, time.Since(began), 30*time.Second, "decoding did not stop at the bound")
	assert.Eventually(t, func() bool { return len(s.leftovers(t))+len(quiet.leftovers(t)) == 0 }, time.Minute, 20*time.Millisecond)
}

// withoutLength copies a FLAC with the number of its samples set to unknown
// (RFC 9639, 8.2: 36 bits of the STREAMINFO block).
func withoutLength(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	const samples = 8 + 13 // the marker and the block's header, then 13 bytes
	b[samples] &= 0xf0
	clear(b[samples+1 : samples+5])
	return file(t, "mute.flac", string(b))
}

// TestCommonWaysToSend sends a file as other programs do.
func TestCommonWaysToSend(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := speechtest.Say(t, "good morning")
	curl, err := exec.LookPath("curl")
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") != "true" { //nolint:forbidigo // where every program must be there
		t.Skip("curl is not here; make test installs it")
	}
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, curl, "-sS", "-H", "X-API-Key: "+s.key,
		"-F", "file=@"+path, "-F", "waitMs=0", s.url+"/v1/transcript").Output()
	require.NoError(t, err)
	var job transcript.Job
	require.NoError(t, json.Unmarshal(out, &job), "%s", out)
	res, err := s.Jobs.Wait(ctx, job.JobID)
	require.NoError(t, err, "%s", out)
	require.Len(t, res.Transcript.Segments, 1)
	assert.Contains(t, res.Transcript.Segments[0].Text, "morning")
}
