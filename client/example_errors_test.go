package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A program matches errors by their codes, also those of jobs and batches. The other fields of
// an error tell people what to do.
func ExampleError() {
	service := exampleService() // the address of a service, and a key of it

	c, err := client.New(service.URL, client.WithAPIKey("tr_revoked"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Transcripts.Get(context.Background(), transcript.Request{Source: transcript.URL("gettysburg1")})

	var refused *client.Error
	switch {
	case errors.Is(err, transcript.RateLimited):
		fmt.Println("later")
	case errors.Is(err, transcript.Unauthorized):
		fmt.Println("a good key, please")
	case errors.As(err, &refused):
		fmt.Println(refused.Message, refused.ActionURL)
	}
	// Output:
	// a good key, please
}

// The service names the faults of a request that it cannot read.
func ExampleError_details() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	tooLong := time.Hour
	_, err := c.Transcripts.Get(context.Background(), transcript.Request{Source: transcript.URL("gettysburg1"), Wait: &tooLong})

	var refused *client.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Response.StatusCode, refused.Code)
		fmt.Println(refused.Details["issues"])
	}
	// Output:
	// 422 INVALID_REQUEST
	// [map[message:must be from 0 to 10000 path:waitMs reason:range]]
}

// A queue of its own decides whether an item goes back into the queue.
func ExampleError_Retryable() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	_, err := c.Transcripts.Captions(ctx, "no such id", nil)

	var refused *client.Error
	if errors.As(err, &refused) && refused.Retryable() {
		fmt.Println("try again after", refused.RetryAfter)
	} else {
		fmt.Println("give up:", errors.Is(err, transcript.InvalidVideo))
	}
	// Output:
	// give up: true
}

// Is makes errors.Is work with a code of the API.
func ExampleError_Is() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	_, err := c.Jobs.Get(context.Background(), "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")
	fmt.Println(errors.Is(err, transcript.NotFound))
	// Output:
	// true
}

// Error is a line for a log or for a person. It holds no key and no body.
func ExampleError_Error() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	_, err := c.Transcripts.Info(context.Background(), transcript.URL("https://youtu.be/too-short"), client.WithHeader("X-Request-Id", "page-7"))
	fmt.Println(err)
	// Output:
	// GET /v1/transcript/info: 422 INVALID_VIDEO: The link names no content of the video site. (request page-7)
}
