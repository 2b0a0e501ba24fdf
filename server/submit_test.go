package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// acme is the service's account as the program around the server names it.
func (s *service) acme(t testing.TB) account.Principal {
	t.Helper()
	p, err := s.Accounts.Principal(t.Context(), servertest.Account)
	require.NoError(t, err)
	return p
}

// media is a file of these bytes.
func media(content string) transcript.Source {
	return transcript.Media("talk.wav", int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	})
}

// What is asked for in process is the account's, as if a request had asked for it.
func TestSubmit(t *testing.T) {
	t.Parallel()
	everyWay(t, "", func(t *testing.T, start starter) {
		s := start(t)
		for name, c := range map[string]struct {
			source transcript.Source
			again  func() *answer
		}{
			"link": {transcript.URL("https://video.example/watch?v=" + video), func() *answer { return s.link(t, video) }},
			"id":   {transcript.ID(transcript.ShortVideoSite, "7345678901234567890"), nil},
			"file": {media("a file"), func() *answer { return s.upload(t, "a file") }},
		} {
			res, job, err := s.Submit(t.Context(), s.acme(t), transcript.Request{Source: c.source, SendMetadata: true})
			require.NoError(t, err, name)
			require.Nil(t, job, name)
			assert.False(t, res.Cached, name)
			assert.NotEmpty(t, res.Transcript.Segments, name)
			if c.again != nil {
				a := c.again()
				require.Equal(t, http.StatusOK, a.StatusCode, a.body)
				assert.Equal(t, true, a.object(t)["cached"], name)
				assert.Equal(t, res.Transcript.ID, a.object(t)["transcript"].(map[string]any)["id"], name)
			}
			res, _, err = s.Submit(t.Context(), s.acme(t), transcript.Request{Source: c.source, Format: transcript.Text, OmitTimestamp: true})
			require.NoError(t, err, name)
			assert.True(t, res.Cached, name)
			assert.Nil(t, res.Transcript, name)
			assert.NotEmpty(t, res.Text, name)
			assert.NotContains(t, res.Text, "[", name)
		}
	})
}

// While an equal job runs Submit returns that, and the job routes show it.
func TestSubmitHandsOutTheJob(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	defer release()
	atOnce := transcript.Request{Source: media("a file"), Wait: new(time.Duration(0))}
	res, job, err := s.Submit(t.Context(), s.acme(t), atOnce)
	require.NoError(t, err)
	require.Nil(t, res)
	_, again, err := s.Submit(t.Context(), s.acme(t), atOnce)
	require.NoError(t, err)
	assert.Equal(t, job.JobID, again.JobID)

	leaves, leave := context.WithCancel(t.Context())
	leave()
	_, _, err = s.Submit(leaves, s.acme(t), transcript.Request{Source: media("another")})
	require.ErrorIs(t, err, context.Canceled, "nothing is read for who has left")
	release()
	assert.Equal(t, "success", s.ended(t, job.JobID)["status"])
}

// The rules are those of the route, and the refusals are its own.
func TestSubmitRefuses(t *testing.T) {
	t.Parallel()
	broke := transcript.Errorf(transcript.InsufficientCredits, "Your account has no credits left.")
	s := start(t, func(c *server.Config) {
		c.Admit = func(_ context.Context, p account.Principal, op server.Operation) error {
			if p.Account == "broke" {
				return broke
			}
			assert.Equal(t, "createTranscript", op.ID)
			return nil
		}
	})
	link := transcript.URL("https://video.example/watch?v=" + video)
	lost := errors.New("the file is lost")
	small := account.WithoutLimits("small")
	small.MaxUploadBytes = 4
	for name, c := range map[string]struct {
		as   account.Principal
		r    transcript.Request
		want error
		says string
	}{
		"no source":       {s.acme(t), transcript.Request{}, transcript.InvalidRequest, "url"},
		"a host unknown":  {s.acme(t), transcript.Request{Source: transcript.URL("https://example.org/x")}, transcript.UnsupportedPlatform, ""},
		"an upload by id": {s.acme(t), transcript.Request{Source: transcript.ID(transcript.Upload, "x")}, transcript.UnsupportedPlatform, ""},
		"a language":      {s.acme(t), transcript.Request{Source: link, Language: []string{"!"}}, transcript.InvalidRequest, "language"},
		"of a file":       {s.acme(t), transcript.Request{Source: media("a"), Language: []string{"!"}}, transcript.InvalidRequest, "language"},
		"a format":        {s.acme(t), transcript.Request{Source: link, Format: "srt"}, transcript.InvalidRequest, "format"},
		"a long wait":     {s.acme(t), transcript.Request{Source: link, Wait: new(time.Minute)}, transcript.InvalidRequest, "waitMs"},
		"Admit":           {account.Principal{Account: "broke", Plan: account.WithoutLimits("test")}, transcript.Request{Source: link}, transcript.InsufficientCredits, ""},
		"Admit of a file": {account.Principal{Account: "broke", Plan: account.WithoutLimits("test")}, transcript.Request{Source: media("a")}, transcript.InsufficientCredits, ""},
		"no uploads":      {account.Principal{Account: "acme", Plan: account.Plan{ASR: true}}, transcript.Request{Source: media("a")}, transcript.UpgradeRequired, ""},
		"no transcripts":  {account.Principal{Account: "zero"}, transcript.Request{Source: link}, transcript.TranscriptQuotaExceeded, ""},
		"a large file":    {account.Principal{Account: "acme", Plan: small}, transcript.Request{Source: media("large")}, transcript.MediaTooLarge, ""},
		"an empty file":   {s.acme(t), transcript.Request{Source: media("")}, transcript.UploadInvalid, ""},
		"nobody":          {account.Principal{}, transcript.Request{Source: link}, nil, "no account"},
		"a file that is lost": {s.acme(t), transcript.Request{Source: transcript.Media("a", -1, func() (io.ReadCloser, error) {
			return nil, lost
		})}, lost, ""},
		"a file that breaks off": {s.acme(t), transcript.Request{Source: transcript.Media("a", -1, func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(lost))), nil
		})}, lost, ""},
		"a large file of no known size": {account.Principal{Account: "acme", Plan: small}, transcript.Request{Source: transcript.Media("a", -1, func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("large")), nil
		})}, transcript.MediaTooLarge, ""},
	} {
		res, job, err := s.Submit(t.Context(), c.as, c.r)
		require.Error(t, err, name)
		assert.Nil(t, res, name)
		assert.Nil(t, job, name)
		if c.want != nil {
			require.ErrorIs(t, err, c.want, name)
		}
		assert.ErrorContains(t, err, c.says, name)
	}
	assert.Zero(t, s.jobs(t))
	assert.Empty(t, files(t, s.blobs), "nothing is left of files that were refused")

	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	_, _, err := s.Submit(t.Context(), s.acme(t), transcript.Request{Source: link})
	require.ErrorIs(t, err, transcript.Unavailable, "why the job has failed")
}

// What the program changes in a result of its own, nobody else is answered with.
func TestSubmitGivesTheResultAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	request := transcript.Request{Source: transcript.URL("https://video.example/watch?v=" + video), SendMetadata: true}
	for range 3 { // made, read, kept in memory
		res, _, err := s.Submit(t.Context(), s.acme(t), request)
		require.NoError(t, err)
		require.NotEmpty(t, res.Metadata)
		*res.Transcript.Title, *res.Transcript.SourceURL, *res.LengthSeconds = "changed", "changed", 7
		res.Metadata["changed"], res.Transcript.Metadata["changed"] = true, true
		res.Transcript.Segments[0].Text = "changed"
	}
	for _, a := range []*answer{s.link(t, video), s.get(t, "/v1/library/transcripts/video_site/"+video)} {
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.NotContains(t, a.body, "changed")
	}
}
