package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// A program finds a video and reads its transcript.
func ExampleVideoService() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	for found, err := range c.Videos.AllSearch(ctx, video.Search{Q: "moon"}) {
		if err != nil {
			log.Fatal(err)
		}
		source := transcript.ID(transcript.VideoSite, found.Video.VideoID)
		result, err := c.Transcripts.Get(ctx, transcript.Request{Source: source})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Transcript.Segments[0].Text)
	}
	// Output:
	// We choose to go to the moon.
}

// A search finds videos, channels or playlists.
func ExampleVideoService_Search() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	search := video.Search{Q: "speeches", Type: video.TypeChannel}
	page, err := c.Videos.Search(context.Background(), search, client.PageParams{Size: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, found := range page.Items {
		fmt.Println(*found.Channel.Handle, *found.Channel.Title)
	}
	// Output:
	// @speeches Famous speeches
}

// The loop asks for further pages when it gets there.
func ExampleVideoService_AllSearch() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	search := video.Search{Q: "address", Order: video.ByViews}
	for found, err := range c.Videos.AllSearch(context.Background(), search) {
		if err != nil {
			log.Fatal(err)
		}
		if views := found.Video.ViewCount; views != nil { // the site tells the number
			fmt.Println(*views, *found.Video.Title)
		}
	}
	// Output:
	// 9000 The Gettysburg Address
	// 7000 First inaugural address
}

// Videos that do not exist are no error: the answer names them.
func ExampleVideoService_Get() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	videos, err := c.Videos.Get(context.Background(), []string{"gettysburg1", "https://youtu.be/removedtalk"})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range videos.Items {
		fmt.Println(*v.Title, *v.DurationSec)
	}
	fmt.Println("not there:", videos.NotFound)
	// Output:
	// The Gettysburg Address 12
	// not there: [removedtalk]
}

func ExampleVideoService_Channel() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	channel, err := c.Videos.Channel(ctx, "@speeches")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*channel.Title, *channel.VideoCount)

	_, err = c.Videos.Channel(ctx, "@nobody")
	fmt.Println("not there:", errors.Is(err, transcript.Unavailable))
	// Output:
	// Famous speeches 3
	// not there: true
}

// The newest uploads of a channel.
func ExampleVideoService_Uploads() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	page, err := c.Videos.Uploads(context.Background(), "@speeches", video.All, client.PageParams{Size: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range page.Items {
		fmt.Println(*v.Title)
	}
	fmt.Println("more:", page.Next != "")
	// Output:
	// We choose to go to the Moon
	// First inaugural address
	// more: true
}

// A program adds up how long the videos of a channel are.
func ExampleVideoService_AllUploads() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	videos, seconds := 0, 0
	for v, err := range c.Videos.AllUploads(context.Background(), "@speeches", video.Regular) {
		if err != nil {
			log.Fatal(err)
		}
		videos++
		if v.DurationSec != nil { // the site tells the length
			seconds += *v.DurationSec
		}
	}
	fmt.Println(videos, "videos of", transcript.LengthText(seconds))
	// Output:
	// 3 videos of 0:31
}

// A page of a playlist, in the order of the playlist.
func ExampleVideoService_Items() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	page, err := c.Videos.Items(context.Background(), "PLspeeches00000000000000", client.PageParams{Size: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Items[0].Position, *page.Items[0].Video.Title)
	// Output:
	// 0 The Gettysburg Address
}

// Removed and private videos keep their places in a playlist.
func ExampleVideoService_AllItems() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	for item, err := range c.Videos.AllItems(context.Background(), "PLspeeches00000000000000") {
		if err != nil {
			log.Fatal(err)
		}
		if !item.Available {
			fmt.Println(item.Position, "not available")
			continue
		}
		fmt.Println(item.Position, *item.Video.Title)
	}
	// Output:
	// 0 The Gettysburg Address
	// 1 not available
	// 2 We choose to go to the Moon
}
