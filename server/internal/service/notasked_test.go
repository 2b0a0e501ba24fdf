package service_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// readers ask one question of each kind for a reader.
func readers(b *bench) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"captions": func(ctx context.Context) error {
			r, err := b.Ask.Captions(ctx, question("en"))
			if err == nil && r.Failure != nil {
				return r.Failure
			}
			return err
		},
		"info": func(ctx context.Context) error {
			_, err := b.Ask.Info(ctx, question(""))
			return err
		},
		"discovery": func(ctx context.Context) error {
			_, err := b.Ask.Search(ctx, video.Search{Q: "talk"}, engine.Window{})
			return err
		},
	}
}

// A platform that nobody has come to ask is not said to be silent: the processes that
// could have asked it died a moment ago, before the question or with it.
func TestQuestionThatNobodyTakesUp(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		if !s.Shared() {
			t.Skip("one process serves it")
		}
		tables := storetest.SQL(t, store.Options(o))
		_, err := tables.ExecContext(t.Context(), `INSERT INTO processes (id, beats, beat_at, abilities)
			VALUES ('dead', 0, CURRENT_TIMESTAMP - interval '11 seconds', '{"captions":["video_site"],"discovery":true}')`)
		require.NoError(t, err)
		b := prepareLinks(t, s, newPlatforms(t), func(c *service.Config) {
			c.Idle, c.Engine = true, engine.Engine{}
			c.LookupBudget, c.DiscoveryBudget = 200*time.Millisecond, 200*time.Millisecond
		})
		refused := func() {
			for name, ask := range readers(b) {
				var coded *transcript.Error
				require.ErrorAs(t, ask(t.Context()), &coded, name)
				assert.Equal(t, transcript.ServiceUnavailable, coded.Code, name)
				assert.Positive(t, coded.RetryAfter, name)
			}
		}
		refused()
		// Each reader's question is a new one, as the time of the one before is up. A process
		// takes up each step at the moment when the step is written.
		takesUp := func(process string) {
			_, err := tables.ExecContext(t.Context(), `CREATE OR REPLACE FUNCTION take_up() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN NEW.state := 'running'; NEW.attempted_by := ARRAY['`+process+`']; RETURN NEW; END $$`)
			require.NoError(t, err)
		}
		takesUp("dead")
		_, err = tables.ExecContext(t.Context(), "CREATE TRIGGER take_up BEFORE INSERT ON river_job FOR EACH ROW EXECUTE FUNCTION take_up()")
		require.NoError(t, err)
		refused()
		_, err = tables.ExecContext(t.Context(), `INSERT INTO processes (id, beats, beat_at, abilities)
			VALUES ('living', 0, CURRENT_TIMESTAMP, '{"captions":["video_site"],"discovery":true}')`)
		require.NoError(t, err)
		takesUp("living")
		for name, ask := range readers(b) {
			assert.ErrorIs(t, ask(t.Context()), transcript.UpstreamFailed, "%s: it has been asked, and is slow", name)
		}
	})
}

// Nor is it where this process has too much to ask.
func TestQuestionThatFindsNoSlot(t *testing.T) {
	t.Parallel()
	slow := &slowSite{platforms: newPlatforms(t), begun: make(chan struct{}), end: make(chan struct{})}
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), slow.platforms, func(c *service.Config) {
		c.Engine.Captions, c.Engine.Discovery = []engine.CaptionSource{slow}, slow
		c.LookupBudget, c.DiscoveryBudget = briefly, briefly
	})
	defer close(slow.end)
	first := make(chan error, 8)
	for i := range 4 {
		q := question("en")
		q.Content.ExternalID = fmt.Sprint("other-", i)
		go func() {
			_, err := b.Ask.Captions(t.Context(), q)
			first <- err
		}()
		go func() {
			_, err := b.Ask.Search(t.Context(), video.Search{Q: fmt.Sprint("other ", i)}, engine.Window{})
			first <- err
		}()
	}
	for range 8 {
		<-slow.begun
	}
	var late sync.WaitGroup
	for name, ask := range readers(b) {
		late.Go(func() { assert.ErrorIs(t, ask(t.Context()), transcript.ServiceUnavailable, name) })
	}
	late.Wait()
	for range 8 {
		<-first //nolint:errcheck // they ask for something else, and only keep the slots
	}
}

// slowSite answers when it is told to, whatever its context says.
type slowSite struct {
	*platforms
	engine.Discovery

	begun, end chan struct{}
}

func (s *slowSite) wait() {
	select {
	case s.begun <- struct{}{}:
	case <-s.end:
	}
	<-s.end
}

func (s *slowSite) Captions(context.Context, engine.Content, func([]transcript.Track) (int, bool)) (found engine.Captions, err error) {
	s.wait()
	return found, nil
}

func (s *slowSite) Search(context.Context, video.Search, engine.Window) (l engine.Listing[video.Result], err error) {
	s.wait()
	return l, nil
}
