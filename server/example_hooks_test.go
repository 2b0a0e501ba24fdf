package server_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// A program reads captions from an archive of its own. A real engine also has a Recognizer, a
// MediaTool and an AudioSource: see package engine and the packages below it.
func ExampleConfig_engine() {
	ctx := context.Background()
	s, err := servertest.Start(ctx, servertest.Configure(func(c *server.Config) {
		c.Engine = func(engine.Host) (engine.Engine, error) {
			return engine.Engine{Captions: []engine.CaptionSource{archive{}}}, nil
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	acme, err := s.Accounts.Principal(ctx, servertest.Account)
	if err != nil {
		log.Fatal(err)
	}
	result, _, err := s.Submit(ctx, acme, transcript.Request{Source: transcript.URL("dQw4w9WgXcQ")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Transcript.Segments[0].Text)
	// Output:
	// from the archive
}

// archive has English captions of each video.
type archive struct{}

func (archive) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}

func (archive) Captions(_ context.Context, _ engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{Tracks: []transcript.Track{{ID: "1", Lang: "en", Kind: transcript.TrackManual}}}
	err := found.Choose(pick, func(int) (caption.File, error) {
		return caption.File{Segments: []transcript.Segment{{Text: "from the archive", Duration: 2}}}, nil
	})
	return found, err
}

// A program that sells credits refuses new work of an account without credits. The server does
// not call Admit for an answer from the cache.
func ExampleConfig_admit() {
	ctx := context.Background()
	credits := 0 // in a program: of the account of the principal
	s, err := servertest.Start(ctx, servertest.Configure(func(c *server.Config) {
		c.Admit = func(_ context.Context, p account.Principal, o server.Operation) error {
			if credits == 0 {
				return transcript.Errorf(transcript.InsufficientCredits, "No credit is left for %s.", o.ID)
			}
			credits--
			return nil
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	acme, err := s.Accounts.Principal(ctx, servertest.Account)
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = s.Submit(ctx, acme, transcript.Request{Source: transcript.URL("dQw4w9WgXcQ")})
	var refused *transcript.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Message)
	}
	// Output:
	// INSUFFICIENT_CREDITS No credit is left for createTranscript.
}

// A program tells the account when its batch has ended.
func ExampleConfig_batchEnded() {
	ctx := context.Background()
	ended := make(chan *batch.Job, 1)
	s, err := servertest.Start(ctx, servertest.Configure(func(c *server.Config) {
		c.BatchEnded = func(_ context.Context, account string, b *batch.Job) error {
			ended <- b // a program sends mail, say, and returns what went wrong with that
			return nil
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"dQw4w9WgXcQ"}}); err != nil {
		log.Fatal(err)
	}
	b := <-ended
	fmt.Println(b.Status, b.Counts.Success, "of", b.Total)
	// Output:
	// completed 1 of 1
}

// A program tells the account that a podcast has moved or has ended.
func ExampleConfig_followFailing() {
	ctx := context.Background()
	podcast := podcastThatEnds()
	defer podcast.Close()
	failing := make(chan *follow.Follow, 1)
	s, err := servertest.Start(ctx, servertest.Configure(func(c *server.Config) {
		inSeconds(c) // else two days pass
		c.DirectMedia, c.Egress.Allow = true, []string{podcast.Listener.Addr().String()}
		c.FollowFailing = func(_ context.Context, account string, f *follow.Follow) error {
			failing <- f
			return nil
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	if err != nil {
		log.Fatal(err)
	}
	if _, _, err := c.Follows.Create(ctx, client.FollowParams{Feed: podcast.URL}); err != nil {
		log.Fatal(err)
	}
	f := <-failing
	fmt.Println(f.Status, f.LastError.Code)
	// Output:
	// failing UPSTREAM_FAILED
}

// inSeconds makes the service look at followed addresses again at once, and give up early.
func inSeconds(c *server.Config) {
	server.SettingsOf(c).Follows = follower.Times{Step: 10 * time.Millisecond, Every: 20 * time.Millisecond, Wait: 20 * time.Millisecond, FailAfter: 50 * time.Millisecond}
}

// podcastThatEnds serves a feed once.
func podcastThatEnds() *httptest.Server {
	there := make(chan struct{}, 1)
	there <- struct{}{}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-there:
			fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>A podcast</title></feed>`)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
}
