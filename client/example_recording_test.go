package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A recording that is kept is read from the service, whole or in part.
func ExampleLibraryService_Media() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: exampleRecording(), KeepMedia: 30 * 24 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Transcript.Media.Bytes, "bytes are kept")
	file, err := c.Library.Media(ctx, result.Transcript.ExternalID, client.MediaParams{Length: 9})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(os.Stdout, file); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 16 bytes are kept
	// recording
}

// A recording may be deleted before its time. The text stays.
func ExampleLibraryService_DeleteMedia() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: exampleRecording(), KeepMedia: time.Hour})
	if err != nil {
		log.Fatal(err)
	}

	id := result.Transcript.ExternalID
	if err := c.Library.DeleteMedia(ctx, id); err != nil {
		log.Fatal(err)
	}
	_, err = c.Library.Media(ctx, id, client.MediaParams{})
	fmt.Println(errors.Is(err, transcript.NoTranscript))
	// Output:
	// true
}
