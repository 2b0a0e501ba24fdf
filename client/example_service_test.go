package client_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// The examples ask one service, which runs for all of them. Each example has an account of its
// own, so no example sees what another one does.

// exampleService returns the address of the service and the key of a new account. The fields
// have the names of a program's own settings.
func exampleService() (service struct{ URL, Key string }) {
	s := startExamples().Server
	name := fmt.Sprint("example-", exampleNumber.Add(1))
	if _, err := s.Accounts.Set(context.Background(), name, account.Settings{}); err != nil {
		log.Fatal(err)
	}
	_, key, err := s.Accounts.CreateKey(context.Background(), account.KeyParams{Account: name, Name: "example", Scopes: account.Scopes()})
	if err != nil {
		log.Fatal(err)
	}
	service.URL, service.Key = s.URL, key
	return service
}

// exampleClient returns a client of a new account. The library of the account has the named
// talks, the last one as the newest.
func exampleClient(saved ...string) *client.Client {
	service := exampleService()
	c, err := client.New(service.URL, client.WithAPIKey(service.Key))
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range saved {
		if _, err := c.Transcripts.Get(context.Background(), transcript.Request{Source: transcript.URL(id)}); err != nil {
			log.Fatal(err)
		}
	}
	return c
}

// exampleRecording returns a recording that the service does not know yet.
func exampleRecording() transcript.Source {
	content := fmt.Sprintf("recording %6d", exampleNumber.Add(1))
	return transcript.Media("inaugural.mp3", int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	})
}

// exampleBatch returns a batch that has ended: of its videos one has been removed.
func exampleBatch(c *client.Client) *batch.Job {
	ctx := context.Background()
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{gettysburg, rice, removed}})
	if err != nil {
		log.Fatal(err)
	}
	ended, err := c.Batches.Wait(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	return ended
}

// exampleFeed returns the address of a feed with two talks that the service does not know yet.
func exampleFeed() string {
	return fmt.Sprintf("%s/%d/feed.xml", startExamples().publisher.URL, exampleNumber.Add(1))
}

// exampleFollow returns a follow of a feed, after the service has looked at the feed.
func exampleFollow(c *client.Client) *batch.Follow {
	ctx := context.Background()
	follow, _, err := c.Follows.Create(ctx, client.FollowParams{Feed: exampleFeed(), FollowOptions: client.FollowOptions{MaxItems: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for ticker := time.NewTicker(10 * time.Millisecond); ; <-ticker.C {
		items, err := c.Follows.Items(ctx, follow.ID, client.PageParams{})
		if err != nil {
			log.Fatal(err)
		}
		if len(items.Items) == 2 && items.Items[0].Status != batch.FollowItemWaiting {
			ticker.Stop()
			return follow
		}
	}
}

// The videos of the examples.
const (
	gettysburg = "gettysburg1"
	rice       = "moonspeech1"
	inaugural  = "inaugural33"
	removed    = "removedtalk" // its platform has it no longer
	endless    = "longlecture" // reading its captions takes longer than an example

	speechChannel  = "UCspeeches00000000000000"
	speechPlaylist = "PLspeeches00000000000000"
)

// A talk is a video with captions.
type talk struct {
	title string
	sec   int
	views int64
	said  []transcript.Segment
}

var talks = map[string]talk{
	gettysburg: {"The Gettysburg Address", 12, 9_000, []transcript.Segment{
		{Text: "Four score and seven years ago", Start: 0, Duration: 2.5},
		{Text: "our fathers brought forth on this continent a new nation,", Start: 2.5, Duration: 4},
		{Text: "conceived in liberty.", Start: 6.5, Duration: 2},
	}},
	rice: {"We choose to go to the Moon", 10, 20_000, []transcript.Segment{
		{Text: "We choose to go to the moon.", Start: 0, Duration: 2},
		{Text: "Not because it is easy, but because it is hard.", Start: 3, Duration: 4},
	}},
	inaugural: {"First inaugural address", 9, 7_000, []transcript.Segment{
		{Text: "The only thing we have to fear", Start: 0, Duration: 3},
		{Text: "is fear itself.", Start: 3, Duration: 2},
	}},
}

// captions are the captions of the talks: English ones by people, German ones by a machine.
type captions struct{}

func (captions) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}

func (captions) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	if c.ExternalID == endless {
		<-ctx.Done()
		return engine.Captions{}, ctx.Err()
	}
	talk, known := talks[c.ExternalID]
	if !known {
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "The video has been removed.")
	}
	found := engine.Captions{
		Metadata: transcript.Metadata{Title: talk.title, Channel: "Famous speeches", CreatorName: "Famous speeches", Duration: float64(talk.sec)},
		Tracks: []transcript.Track{
			{ID: "1", Lang: "en", Name: "English", Kind: transcript.TrackManual},
			{ID: "2", Lang: "de", Name: "German", Kind: transcript.TrackAuto},
		},
	}
	err := found.Choose(pick, func(int) (caption.File, error) { return caption.File{Segments: talk.said}, nil })
	return found, err
}

// exampleNumber makes names and contents of examples differ.
var exampleNumber atomic.Int64

// examples are the service and a publisher of feeds, which also receives webhooks.
type examples struct {
	*servertest.Server
	publisher *httptest.Server
}

var startExamples = sync.OnceValue(func() *examples {
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if receiver, ok := exampleReceivers.Load(r.URL.Path); ok {
			receiver.(http.Handler).ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Famous speeches</title>
			<entry><id>2</id><title>We choose to go to the Moon</title><link href="https://www.youtube.com/watch?v=moonspeech1"/></entry>
			<entry><id>1</id><title>The Gettysburg Address</title><link href="https://www.youtube.com/watch?v=gettysburg1"/></entry></feed>`)
	}))
	plan := account.WithoutLimits("pro")
	plan.TranscriptsPerPeriod, plan.ASRMinutesPerPeriod = 1000, 600
	plan.RateLimit = account.RateLimit{Requests: 1000, Window: time.Minute}
	s, err := servertest.Start(context.Background(), servertest.OnPlan(plan), servertest.Configure(func(c *server.Config) {
		c.DirectMedia = true
		c.Egress.Allow = []string{publisher.Listener.Addr().String()}
		scripted := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := scripted(h)
			e.Captions = []engine.CaptionSource{captions{}}
			return e, err
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	s.Engine.Say("Ask not what your country can do for you.")
	publishTalks(s.Engine)
	running.Store(&examples{s, publisher})
	return running.Load()
})

// publishTalks puts the talks on the video site, as a channel and as a playlist.
func publishTalks(e *servertest.Engine) {
	var videos []video.Video
	for _, id := range []string{rice, inaugural, gettysburg} {
		talk := talks[id]
		videos = append(videos, video.Video{Summary: video.Summary{
			VideoID: id, Title: &talk.title, ChannelID: new(speechChannel), DurationSec: &talk.sec, ViewCount: &talk.views,
		}})
	}
	e.SetVideos(videos...)
	e.SetChannels(video.Channel{ChannelID: speechChannel, Title: new("Famous speeches"), Handle: new("@speeches"), VideoCount: new(int64(3))})
	e.SetPlaylists(video.Playlist{PlaylistID: speechPlaylist, ChannelID: new(speechChannel), Title: new("Short speeches")})
	e.SetList(speechPlaylist, gettysburg, removed, rice)
	e.SetList("@speeches", rice, inaugural, gettysburg)
}

// running is the service of the examples, once an example has asked for it.
var running atomic.Pointer[examples]

// withExamples stops the service of the examples after the last example.
type withExamples struct{ *testing.M }

func (m withExamples) Run() int {
	code := m.M.Run()
	if e := running.Load(); e != nil {
		e.publisher.Close()
		if err := e.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "the service of the examples:", err)
			code = max(code, 1)
		}
	}
	return code
}
