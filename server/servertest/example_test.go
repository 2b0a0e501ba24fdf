package servertest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// countWords is a program that is to be tested.
func countWords(ctx context.Context, url, key, file string) (int, error) {
	c, err := client.New(url, client.WithAPIKey(key))
	if err != nil {
		return 0, err
	}
	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.File(file)})
	if err != nil {
		return 0, err
	}
	words := 0
	for _, s := range result.Transcript.Segments {
		words += len(strings.Fields(s.Text))
	}
	return words, nil
}

// A client program meets the real service. In a test, New takes the place of
// Start, and closes the server by itself.
func Example() {
	ctx := context.Background()
	s, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	s.Engine.Say("four score and seven years ago")
	words, err := countWords(ctx, s.URL, s.Key, "example_test.go") // any file will do
	fmt.Println(words, err)

	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The file is not media."))
	_, err = countWords(ctx, s.URL, s.Key, "engine.go")
	fmt.Println(errors.Is(err, transcript.UploadInvalid))
	// Output:
	// 6 <nil>
	// true
}

// Links lead nowhere: what their captions say is up to the test.
func ExampleEngine_SetTracks() {
	ctx := context.Background()
	s, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	if err != nil {
		log.Fatal(err)
	}

	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "Guten Tag"})
	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.URL("dQw4w9WgXcQ"), Language: []string{"fr", "de"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Language, result.Transcript.Segments[0].Text)
	// Output: de Guten Tag
}
