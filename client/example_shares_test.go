package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// A link shows a text to everybody who has the link, for a week.
func ExampleLibraryService_Share() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	link, err := c.Library.Share(ctx, key, time.Now().AddDate(0, 0, 7))
	if err != nil {
		log.Fatal(err)
	}
	_, token, _ := strings.Cut(link.URL, "/v1/shared/")
	fmt.Println("a token of", len(token), "characters, for", time.Until(link.ExpiresAt.Time).Round(time.Hour))
	// Output:
	// a token of 43 characters, for 168h0m0s
}

// A reader with the link needs no key, and writes the text in any format.
func ExampleLibraryService_Shared() {
	ctx := context.Background()
	owner := exampleClient("gettysburg1") // the library has one talk
	link, err := owner.Library.Share(ctx, library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}, time.Time{})
	if err != nil {
		log.Fatal(err)
	}

	reader, err := client.New(exampleService().URL)
	if err != nil {
		log.Fatal(err)
	}
	shared, err := reader.Library.Shared(ctx, link.URL)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*shared.Title)
	fmt.Println(string(format.AppendText(nil, shared.Transcript().Segments[:1], true)))
	// Output:
	// The Gettysburg Address
	// [00:00:00] Four score and seven years ago
}

// A reader of a link asks for the words with their times, and writes subtitles by them. Not every
// text has such words.
func ExampleLibraryService_SharedWithWords() {
	ctx := context.Background()
	owner := exampleClient("gettysburg1") // the library has one talk
	link, err := owner.Library.Share(ctx, library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}, time.Time{})
	if err != nil {
		log.Fatal(err)
	}

	shared, err := owner.Library.SharedWithWords(ctx, link.URL)
	if err != nil {
		log.Fatal(err)
	}
	file := format.AppendWordVTT(nil, shared.Segments[:1])
	fmt.Println(strings.Contains(string(file), "Four score and seven years ago"))
	// Output:
	// true
}

// The list of links has no addresses: an address is told once.
func ExampleLibraryService_Shares() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	if _, err := c.Library.Share(ctx, key, time.Time{}); err != nil { // for 30 days
		log.Fatal(err)
	}

	links, err := c.Library.Shares(ctx, key)
	if err != nil {
		log.Fatal(err)
	}
	for _, link := range links {
		fmt.Printf("%q ends after %s\n", link.URL, link.ExpiresAt.Sub(link.CreatedAt.Time))
	}
	// Output:
	// "" ends after 720h0m0s
}

// A link ends at once.
func ExampleLibraryService_Unshare() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	link, err := c.Library.Share(ctx, key, time.Time{})
	if err != nil {
		log.Fatal(err)
	}

	if err := c.Library.Unshare(ctx, key, link.ID); err != nil {
		log.Fatal(err)
	}
	_, err = c.Library.Shared(ctx, link.URL)
	fmt.Println(errors.Is(err, transcript.NotFound))
	// Output:
	// true
}
