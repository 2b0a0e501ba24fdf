package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func Example() {
	service := exampleService() // the address of a service, and a key of it

	c, err := client.New(service.URL, client.WithAPIKey(service.Key))
	if err != nil {
		log.Fatal(err)
	}
	link := transcript.URL("https://youtu.be/moonspeech1") // or transcript.File("talk.mp3")
	result, err := c.Transcripts.Get(context.Background(), transcript.Request{Source: link})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Transcript.Segments {
		fmt.Printf("%.2f %s\n", s.Start, s.Text)
	}
	// Output:
	// 0.00 We choose to go to the moon.
	// 3.00 Not because it is easy, but because it is hard.
}

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
