package client_test

import (
	"context"
	"fmt"
	"log"

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
