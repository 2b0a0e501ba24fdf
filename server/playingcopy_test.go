package server_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// playingMedia makes copies for playing: the begin of a file.
type playingMedia struct {
	engine.MediaTool
	fails error // the first of the calls
	calls atomic.Int32
	wait  chan struct{} // until it is closed; nil: not at all
	track atomic.Int32  // of the last call
}

// Normalize takes the second of two tracks.
func (c *playingMedia) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	sound, err := c.MediaTool.Normalize(ctx, in, out, o)
	sound.Tracks = []transcript.AudioTrack{{Index: 1}, {Index: 2, Used: true}}
	return sound, err
}

func (c *playingMedia) PlayingCopy(ctx context.Context, in, out string, track int, _ time.Duration) error {
	c.track.Store(int32(track))
	if c.calls.Add(1) == 1 && c.fails != nil {
		return c.fails
	}
	if c.wait != nil {
		select {
		case <-c.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b, err := os.ReadFile(in)
	if err == nil {
		err = os.WriteFile(out, append([]byte("copy of "), b[:16]...), 0o600)
	}
	return err
}

// copying has a service make copies for playing.
func copying(m *playingMedia) func(*server.Config) {
	return func(c *server.Config) {
		made := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := made(h)
			m.MediaTool, e.Media = e.Media, m
			return e, err
		}
	}
}

// longWAV is the content of a recording that gets a copy.
func longWAV(name string) string { return wav(name + strings.Repeat("0123456789", 200_000)) }

func (s *service) awaitCopy(t *testing.T, content string) *answer {
	t.Helper()
	var a *answer
	require.Eventually(t, func() bool {
		a = s.get(t, mediaPath(content)+"?copy=play")
		return a.Header.Get("Content-Type") == "audio/webm"
	}, time.Minute, 20*time.Millisecond)
	return a
}

// A large recording gets a copy for playing, once. The file as it was sent is there too, and both
// go together.
func TestPlayingCopy(t *testing.T) {
	t.Parallel()
	c := &playingMedia{wait: make(chan struct{}), fails: errors.New("the machine is short of memory")}
	s := start(t, copying(c))
	content := longWAV("a")
	s.keep(t, content, 3600)
	first := s.get(t, mediaPath(content)+"?copy=play")
	require.Equal(t, http.StatusOK, first.StatusCode)
	assert.Equal(t, content, first.body, "there is no copy yet")
	assert.Equal(t, "inline; filename=talk.wav; filename*=UTF-8''talk.wav", first.Header.Get("Content-Disposition"))
	close(c.wait)
	a := s.awaitCopy(t, content)
	assert.Equal(t, "copy of "+content[:16], a.body)
	assert.Equal(t, "inline; filename=talk.webm; filename*=UTF-8''talk.webm", a.Header.Get("Content-Disposition"))
	assert.NotEqual(t, first.Header.Get("ETag"), a.Header.Get("ETag"))
	part := s.get(t, mediaPath(content)+"?copy=play", header("Range", "bytes=5-6"), header("If-Range", a.Header.Get("ETag")))
	assert.Equal(t, []any{http.StatusPartialContent, "of"}, []any{part.StatusCode, part.body})
	assert.Equal(t, content, s.get(t, mediaPath(content)).body)
	assert.EqualValues(t, 2, c.calls.Load(), "the first call has failed")
	assert.EqualValues(t, 2, c.track.Load(), "the sound is that of the text")
	kept := s.usage(t)["keptMedia"].(map[string]any)
	assert.EqualValues(t, len(content), kept["bytes"], "without the copy")
	require.Len(t, files(t, s.blobs), 2)
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
	s.nothingLeft(t)
	assert.Equal(t, http.StatusBadRequest, s.get(t, mediaPath(content)+"?copy=all").StatusCode)
}

// A recording that goes while its copy is made leaves no copy behind. A recording that cannot be
// copied, and a small one, are played as they were sent.
func TestPlayingCopyIsNotMade(t *testing.T) {
	t.Parallel()
	gone := &playingMedia{wait: make(chan struct{})}
	s := start(t, copying(gone))
	content := longWAV("gone")
	s.keep(t, content, 3600)
	require.Eventually(t, func() bool { return gone.calls.Load() > 0 }, time.Minute, time.Millisecond)
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
	close(gone.wait)
	s.nothingLeft(t)

	refusing := &playingMedia{fails: transcript.Errorf(transcript.UploadInvalid, "No.")}
	s = start(t, copying(refusing))
	s.keep(t, wav("small"), 3600)
	s.keep(t, longWAV("refused"), 3600)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "no copy for playing") }, time.Minute, 10*time.Millisecond)
	assert.EqualValues(t, 1, refusing.calls.Load(), "of the large one, which is not tried again")
	assert.Equal(t, longWAV("refused"), s.get(t, mediaPath(longWAV("refused"))+"?copy=play").body)
}
