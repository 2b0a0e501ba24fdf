package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// What is found on the video site goes on to Transcripts, or to Batches.
func ExampleVideoService() {
	ctx := context.Background()
	service, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer service.Close()
	service.Engine.SetVideos(video.Video{Summary: video.Summary{VideoID: "dQw4w9WgXcQ", Title: new("A short talk")}})

	c, err := client.New(service.URL, client.WithAPIKey(service.Key))
	if err != nil {
		log.Fatal(err)
	}
	for found, err := range c.Videos.AllSearch(ctx, video.Search{Q: "talk"}) {
		if err != nil {
			log.Fatal(err)
		}
		source := transcript.ID(transcript.VideoSite, found.Video.VideoID)
		result, err := c.Transcripts.Get(ctx, transcript.Request{Source: source})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*found.Video.Title, "-", result.Transcript.Segments[0].Text)
	}
	// Output:
	// A short talk - hello world
}
