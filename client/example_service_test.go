package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The examples ask one service, which is a process of its own and runs for all of them. Each
// example has an account of its own, so no example sees what another one does.

// exampleService returns the address of the service and the key of a new account. The fields
// have the names of a program's own settings.
func exampleService() (service struct{ URL, Key string }) {
	e := startExamples()
	service.URL = e.url
	service.Key = e.ask(fmt.Sprint("example-", exampleNumber.Add(1)))
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
func exampleFollow(c *client.Client) *follow.Follow {
	ctx := context.Background()
	followed, _, err := c.Follows.Create(ctx, client.FollowParams{Feed: exampleFeed(), FollowOptions: client.FollowOptions{MaxItems: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for ticker := time.NewTicker(10 * time.Millisecond); ; <-ticker.C {
		items, err := c.Follows.Items(ctx, followed.ID, client.PageParams{})
		if err != nil {
			log.Fatal(err)
		}
		if len(items.Items) == 2 && items.Items[0].Status != follow.ItemWaiting {
			ticker.Stop()
			return followed
		}
	}
}

// The videos of the examples.
const (
	gettysburg = "gettysburg1"
	rice       = "moonspeech1"
	removed    = "removedtalk" // its platform has it no longer
)

// exampleNumber makes names and contents of examples differ.
var exampleNumber atomic.Int64

// examples are the service and a publisher of feeds, which also receives webhooks.
type examples struct {
	url       string
	publisher *httptest.Server

	process *exec.Cmd
	asking  sync.Mutex
	in      io.WriteCloser
	out     *bufio.Scanner
}

var startExamples = sync.OnceValue(func() *examples {
	e := &examples{publisher: httptest.NewServer(http.HandlerFunc(publish))}
	e.process = exec.Command("go", "run", "../internal/test/exampleservice", e.publisher.Listener.Addr().String())
	e.process.Stderr = os.Stderr
	in, err := e.process.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	out, err := e.process.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	e.in, e.out = in, bufio.NewScanner(out)
	if err := e.process.Start(); err != nil {
		log.Fatal(err)
	}
	e.url = e.line()
	running.Store(e)
	return e
})

// ask makes an account of a name and returns a key of it.
func (e *examples) ask(account string) (key string) {
	e.asking.Lock()
	defer e.asking.Unlock()
	fmt.Fprintln(e.in, account)
	return e.line()
}

// line is what the process prints next.
func (e *examples) line() string {
	if !e.out.Scan() {
		log.Fatal("the service of the examples has ended: ", e.process.Wait())
	}
	return e.out.Text()
}

// close ends the process, which ends with its input.
func (e *examples) close() error {
	e.publisher.Close()
	_ = e.in.Close() // a process that is gone is told by Wait
	return e.process.Wait()
}

func publish(w http.ResponseWriter, r *http.Request) {
	if receiver, ok := exampleReceivers.Load(r.URL.Path); ok {
		receiver.(http.Handler).ServeHTTP(w, r)
		return
	}
	fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Famous speeches</title>
		<entry><id>2</id><title>We choose to go to the Moon</title><link href="https://www.youtube.com/watch?v=moonspeech1"/></entry>
		<entry><id>1</id><title>The Gettysburg Address</title><link href="https://www.youtube.com/watch?v=gettysburg1"/></entry></feed>`)
}

// running is the service of the examples, once an example has asked for it.
var running atomic.Pointer[examples]

// withExamples stops the service of the examples after the last example.
type withExamples struct{ *testing.M }

func (m withExamples) Run() int {
	code := m.M.Run()
	if e := running.Load(); e != nil {
		if err := e.close(); err != nil {
			fmt.Fprintln(os.Stderr, "the service of the examples:", err)
			code = max(code, 1)
		}
	}
	return code
}
