package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

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
	window := answer.RateLimit.Requests
	fmt.Println(window.Remaining, "of", window.Limit, "requests left")
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
	flaky := client.WithMiddleware(brokenOnce)

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
	flaky := client.WithMiddleware(brokenOnce)

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

	_, err := c.Usage.Get(context.Background(), client.WithAttemptTimeout(time.Microsecond), client.WithRetry(client.NoRetry))
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

// Middleware of one call sees each attempt of this call: here it counts them.
func ExampleWithMiddleware_call() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	requests := 0
	count := client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			requests++
			return next.RoundTrip(r)
		})
	})
	if _, err := c.Usage.Get(context.Background(), count); err != nil {
		log.Fatal(err)
	}
	fmt.Println(requests)
	// Output:
	// 1
}

// Middleware of a client adds a header to each request.
func ExampleRoundTripFunc() {
	service := exampleService() // the address of a service, and a key of it
	named := client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-Request-Id", "search-team")
			return next.RoundTrip(r)
		})
	})

	c, err := client.New(service.URL, client.WithAPIKey(service.Key), named)
	if err != nil {
		log.Fatal(err)
	}
	var answer client.Response
	if _, err := c.Usage.Get(context.Background(), client.WithResponse(&answer)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.RequestID)
	// Output:
	// search-team
}

// A service may be newer than the program. Members that the types do not know are not lost.
func ExampleResponse_UnknownFields() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	var answer client.Response
	_, err := c.Usage.Get(context.Background(), client.WithResponse(&answer), client.WithMiddleware(newerService))
	if err != nil {
		log.Fatal(err)
	}
	for name, value := range answer.UnknownFields() {
		fmt.Println(name, string(value))
	}
	// Output:
	// /storage {"usedBytes":1024}
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
	show := client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
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

// brokenOnce is a network that breaks the first connection.
func brokenOnce(next http.RoundTripper) http.RoundTripper {
	broken := false
	return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
		if !broken {
			broken = true
			return nil, errors.New("connection reset by peer")
		}
		return next.RoundTrip(r)
	})
}

// newerService is a service whose answers have a member that this version does not know.
func newerService(next http.RoundTripper) http.RoundTripper {
	return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
		body = append([]byte(`{"storage":{"usedBytes":1024},`), body[1:]...)
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return answer, nil
	})
}

// withoutTimes makes the log of an example the same each time.
func withoutTimes(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Value.Kind() == slog.KindDuration {
		return slog.Attr{}
	}
	return a
}
