package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// walled are platforms that show a content only after a login. Each reading is another one, so that
// a test sees whose reading an account has.
type walled struct {
	*platforms
	mu       sync.Mutex
	readings int
	public   bool          // the platform says that everybody may see the content
	silent   bool          // the content has no captions
	arrived  chan struct{} // receives each reading, before it goes on
	goOn     chan struct{}
}

var errNoLogin = transcript.Errorf(transcript.LoginRequired, "The platform asks for a login.")

func (w *walled) read(ctx context.Context, c engine.Content) (string, error) {
	if !c.Login {
		return "", errNoLogin
	}
	w.mu.Lock()
	w.readings++
	reading := "reading " + string(rune('0'+w.readings))
	w.mu.Unlock()
	if w.arrived != nil {
		w.arrived <- struct{}{}
		select {
		case <-w.goOn:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return reading, nil
}

func (w *walled) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	text, err := w.read(ctx, c)
	if err != nil {
		return engine.Captions{}, err
	}
	found := engine.Captions{Metadata: transcript.Metadata{Title: "Secret " + text, Duration: 5}, Private: !w.public}
	if w.silent {
		return found, nil
	}
	found.Tracks = []transcript.Track{manual("en")}
	err = found.Choose(pick, func(int) (caption.File, error) {
		return caption.File{Segments: []transcript.Segment{{Text: text, Start: 1, Duration: 2}}}, nil
	})
	return found, err
}

func (w *walled) Audio(_ context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	if !c.Login || o.Private == nil {
		return "", errNoLogin
	}
	if err := errors.Join(o.Private(), o.Known(transcript.Metadata{Title: "Secret sound", Duration: 5})); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, w.sound, 0o600)
}

// next waits for a reading.
func (w *walled) next(t *testing.T) {
	t.Helper()
	select {
	case <-w.arrived:
	case <-time.After(time.Minute):
		require.Fail(t, "nobody reads the content")
	}
}

func startWalled(t *testing.T, s *db.Store, w *walled) *bench {
	t.Helper()
	w.platforms = newPlatforms(t)
	return start(t, s, &script{}, func(c *service.Config) {
		c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{w}, w
		c.PauseBriefly()
	})
}

func by(account string) intake.Submission {
	s := link("v1", "en")
	s.Account = account
	return s
}

// A text that was read with a login is for the account that has asked, and stands in its library
// alone. Another account gets its own reading.
func TestLoginIsForOneAccount(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		w := new(walled)
		b := startWalled(t, s, w)
		for i, account := range []string{acme, "other"} {
			job := b.succeed(t, by(account))
			assert.Contains(t, string(plain(t, job.SegmentsJSON)), "reading "+string(rune('1'+i)))
			out, err := b.Submit(t.Context(), by(account))
			require.NoError(t, err)
			require.NotNil(t, out.Result, "the account's own text answers it")
			rows, err := s.Library.All(t.Context(), account)
			require.NoError(t, err)
			require.Len(t, rows, 1)
			assert.Equal(t, job.TranscriptRef, rows[0].TranscriptID)
		}
		_, err := s.Contents.Get(t.Context(), transcript.VideoSite, "v1")
		require.ErrorIs(t, err, db.ErrNotFound, "what is known of the content is not shared")
	})
}

// A content that the platform shows to everybody is shared, however it was read.
func TestLoginToAPublicContentIsShared(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := startWalled(t, s, &walled{public: true})
		first := b.succeed(t, by(acme))
		known, err := s.Contents.Get(t.Context(), transcript.VideoSite, "v1")
		require.NoError(t, err)
		assert.Equal(t, "Secret reading 1", known.Metadata.Title)
		out, err := b.Submit(t.Context(), by("other"))
		require.NoError(t, err)
		require.NotNil(t, out.Result)
		assert.Equal(t, first.TranscriptRef, out.Result.Transcript.ID)
	})
}

// Two accounts that have joined one work get a reading each.
func TestLoginDividesJoinedWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		w := &walled{arrived: make(chan struct{}), goOn: make(chan struct{})}
		b := startWalled(t, s, w)
		first, err := b.Submit(t.Context(), by(acme))
		require.NoError(t, err)
		w.next(t)
		second, err := b.Submit(t.Context(), by("other"))
		require.NoError(t, err)
		w.goOn <- struct{}{}
		w.next(t)
		w.goOn <- struct{}{}
		for account, job := range map[string]string{acme: first.Job.JobID, "other": second.Job.JobID} {
			ended, err := b.Jobs.Wait(t.Context(), account, job, nil)
			require.NoError(t, err)
			require.Equal(t, transcript.JobSuccess, ended.Status, "%v", ended.Error)
			want := map[string]string{acme: "reading 1", "other": "reading 2"}[account]
			assert.Contains(t, string(plain(t, ended.SegmentsJSON)), want, account)
		}
	})
}

// Sound that was read with a login is recognized for one account, also if others wait with it.
func TestLoginToSound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		w := &walled{silent: true, arrived: make(chan struct{}), goOn: make(chan struct{})}
		b := startWalled(t, s, w)
		first, err := b.Submit(t.Context(), by(acme))
		require.NoError(t, err)
		w.next(t)
		second, err := b.Submit(t.Context(), by("other"))
		require.NoError(t, err)
		w.goOn <- struct{}{}
		w.next(t)
		w.goOn <- struct{}{}
		texts := map[string]bool{}
		for account, job := range map[string]string{acme: first.Job.JobID, "other": second.Job.JobID} {
			ended, err := b.Jobs.Wait(t.Context(), account, job, nil)
			require.NoError(t, err)
			require.Equal(t, transcript.JobSuccess, ended.Status, "%v", ended.Error)
			texts[ended.TranscriptRef] = true
			text, err := s.Transcripts.ByID(t.Context(), ended.TranscriptRef)
			require.NoError(t, err)
			assert.Equal(t, account, text.Owner)
		}
		assert.Len(t, texts, 2, "each account has a text of its own")
	})
}
