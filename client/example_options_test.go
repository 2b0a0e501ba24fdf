package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// New checks what it gets and sends nothing.
func ExampleNew() {
	_, err := client.New("transcripts.example", client.WithAPIKey("tr_example"))
	fmt.Println(err)

	c, err := client.New("https://transcripts.example/media", client.WithAPIKey("tr_example"))
	fmt.Println(c, err)
	// Output:
	// client: base URL "transcripts.example": the scheme must be http or https
	// client of https://transcripts.example/media <nil>
}

// A printed client shows the service and not the key.
func ExampleClient_String() {
	c, err := client.New("https://transcripts.example", client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c)
	// Output:
	// client of https://transcripts.example
}

// Do asks a route that has no method, such as a new one. Errors, repetition and credentials are
// those of the methods.
func ExampleClient_Do() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	var health struct{ Status, Version string }
	if err := c.Do(context.Background(), http.MethodGet, "/healthz", nil, &health); err != nil {
		log.Fatal(err)
	}
	fmt.Println(health.Status, health.Version)
	// Output:
	// ok dev
}

// A program asks what is left of its plan before it sends a lot of work.
func ExampleUsageService_Get() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	if _, err := c.Transcripts.Get(ctx, transcript.Request{Source: exampleRecording()}); err != nil {
		log.Fatal(err)
	}

	usage, err := c.Usage.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("plan:", usage.Account.Plan)
	if left := usage.Transcripts.Remaining; left != nil { // else there is no limit
		fmt.Println("transcripts left:", *left)
	}
	fmt.Println("minutes of speech used:", usage.ASRMinutes.Used)
	// Output:
	// plan: pro
	// transcripts left: 999
	// minutes of speech used: 1
}

// A key may belong to a client, or to a single call: one client serves all users of a website.
func ExampleWithAPIKey() {
	service := exampleService() // the address of a service, and a key of it

	c, err := client.New(service.URL)
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Usage.Get(context.Background())
	fmt.Println("without a key:", errors.Is(err, transcript.Unauthorized))
	_, err = c.Usage.Get(context.Background(), client.WithAPIKey(service.Key))
	fmt.Println("with the key of a user:", err)
	// Output:
	// without a key: true
	// with the key of a user: <nil>
}

// WithResponse tells what an answer said besides its body, also next to an error.
func ExampleWithResponse() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	var answer client.Response
	if _, err := c.Usage.Get(context.Background(), client.WithResponse(&answer)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.StatusCode, "after", answer.Attempts, "attempt")
	fmt.Println(answer.RateLimit.Remaining, "of", answer.RateLimit.Limit, "requests left")
	// Output:
	// 200 after 1 attempt
	// 999 of 1000 requests left
}

// The id of a request stands in the logs of both sides.
func ExampleWithHeader() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	var answer client.Response
	_, err := c.Usage.Get(context.Background(), client.WithHeader("X-Request-Id", "import-42"), client.WithResponse(&answer))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.RequestID)
	// Output:
	// import-42
}

// A program that crashes between a request and its own database sends the request again under
// the same name, and gets the same batch.
func ExampleWithIdempotencyKey() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	params := client.BatchParams{URLs: []string{"gettysburg1", "moonspeech1"}}

	once := client.WithIdempotencyKey("import of 2026-11-24")
	first, err := c.Batches.Create(ctx, params, once)
	if err != nil {
		log.Fatal(err)
	}
	again, err := c.Batches.Create(ctx, params, once)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.ID == again.ID)
	// Output:
	// true
}

// A bar shows how much of a file has been sent.
func ExampleWithUploadProgress() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	var last int64
	bar := client.WithUploadProgress(func(sent, total int64) { last = 100 * sent / total })
	_, err := c.Transcripts.Get(context.Background(), transcript.Request{Source: exampleRecording()}, bar)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(last, "%")
	// Output:
	// 100 %
}

// A person who waits sees why nothing happens for the moment.
func ExampleWithRetryNotify() {
	service := exampleService() // the address of a service, and a key of it
	flaky := client.WithTransport(brokenOnce)

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), flaky,
		client.WithRetry(client.RetryPolicy{MinWait: time.Millisecond}),
		client.WithRetryNotify(func(_ error, _ time.Duration) { fmt.Println("the network fails, so the client tries again") }),
	)
	if err != nil {
		log.Fatal(err)
	}
	usage, err := c.Usage.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("plan:", usage.Account.Plan)
	// Output:
	// the network fails, so the client tries again
	// plan: pro
}

// A program with a queue of its own repeats nothing inside of the client.
func ExampleWithRetry() {
	service := exampleService() // the address of a service, and a key of it
	flaky := client.WithTransport(brokenOnce)

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), flaky, client.WithRetry(client.NoRetry))
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Usage.Get(context.Background())
	fmt.Println("an error at once:", err != nil)

	_, err = c.Usage.Get(context.Background(), client.WithRetry(client.RetryPolicy{Attempts: 2})) // this call alone
	fmt.Println(err)
	// Output:
	// an error at once: true
	// <nil>
}

// An attempt that takes longer fails, and the next one begins. The context bounds all attempts
// together.
func ExampleWithAttemptTimeout() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	_, err := c.Transcripts.Get(context.Background(),
		transcript.Request{Source: transcript.URL("https://youtu.be/longlecture")},
		client.WithAttemptTimeout(20*time.Millisecond), client.WithRetry(client.NoRetry),
	)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// true
}

// The client has the transport, the proxy and the cookies of an http.Client of the program.
func ExampleWithHTTPClient() {
	service := exampleService() // the address of a service, and a key of it
	own := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), client.WithHTTPClient(own))
	if err != nil {
		log.Fatal(err)
	}
	usage, err := c.Usage.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(usage.Account.Plan)
	// Output:
	// pro
}

// A transport sees each attempt: here it counts them.
func ExampleWithTransport() {
	service := exampleService() // the address of a service, and a key of it
	attempts := 0
	count := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			attempts++
			return next.RoundTrip(r)
		})
	}

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), client.WithTransport(count))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Usage.Get(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(attempts)
	// Output:
	// 1
}

// The client logs each attempt at the level debug, without keys, queries and bodies.
func ExampleWithLogger() {
	service := exampleService() // the address of a service, and a key of it
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTimes}))

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), client.WithLogger(logger))
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Usage.Get(context.Background(), client.WithHeader("X-Request-Id", "page-7"))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// level=DEBUG msg=request method=GET path=/v1/usage attempt=1 status=200 requestId=page-7
}

// The User-Agent tells the operator of the service which program asks.
func ExampleWithUserAgent() {
	service := exampleService() // the address of a service, and a key of it
	show := client.WithTransport(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			fmt.Println(r.Header.Get("User-Agent"))
			return next.RoundTrip(r)
		})
	})

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), client.WithUserAgent("podcast-search/2.1"), show)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Usage.Get(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// podcast-search/2.1
}

// roundTripper is a function that is a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// brokenOnce is a network that breaks the first connection.
func brokenOnce(next http.RoundTripper) http.RoundTripper {
	broken := false
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if !broken {
			broken = true
			return nil, errors.New("connection reset by peer")
		}
		return next.RoundTrip(r)
	})
}

// withoutTimes makes the log of an example the same each time.
func withoutTimes(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Value.Kind() == slog.KindDuration {
		return slog.Attr{}
	}
	return a
}
