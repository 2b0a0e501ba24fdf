package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// From now on each new item of a podcast becomes a transcript, and so do the last two items.
func ExampleFollowService_Create() {
	ctx := context.Background()
	c := exampleClient()     // client.New(url, client.WithAPIKey(key))
	podcast := exampleFeed() // such as https://podcast.example/feed.xml

	params := client.FollowParams{Feed: podcast, FollowOptions: client.FollowOptions{Language: []string{"en"}, MaxItems: 2}}
	followed, created, err := c.Follows.Create(ctx, params)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(followed.Kind, followed.Status, created)

	_, created, err = c.Follows.Create(ctx, params) // the account follows the podcast already
	fmt.Println(created, err)
	// Output:
	// feed active true
	// false <nil>
}

// A reader of podcasts exports its subscriptions as OPML. A row that cannot be followed does not
// stop the others.
func ExampleFollowService_CreateAll() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	subscriptions := strings.NewReader(`<opml version="2.0"><body>
		<outline type="rss" text="Famous speeches" xmlUrl="` + exampleFeed() + `"/>
		<outline type="rss" text="Another" xmlUrl="ftp://podcast.example/feed.xml"/>
	</body></opml>`)

	rows, err := c.Follows.CreateAll(context.Background(), subscriptions, client.OPML, client.FollowOptions{MaxItems: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		if row.Error != nil {
			fmt.Println(row.Row, *row.Error, row.URL)
			continue
		}
		fmt.Println(row.Row, "follows a", row.Follow.Kind)
	}
	// Output:
	// 1 follows a feed
	// 2 INVALID_REQUEST ftp://podcast.example/feed.xml
}

func ExampleFollowService_Get() {
	c := exampleClient()
	id := exampleFollow(c).ID // the service has looked at a feed

	followed, err := c.Follows.Get(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*followed.Title, followed.Status)
	if followed.LastError != nil { // the last look has failed
		fmt.Println(followed.LastError.Message)
	}
	// Output:
	// Famous speeches active
}

// The items of a follow, newest first. Without MaxItems in the FollowOptions, the items that
// were there before the follow are skipped.
func ExampleFollowService_Items() {
	c := exampleClient()
	id := exampleFollow(c).ID // a follow with MaxItems 1

	page, err := c.Follows.Items(context.Background(), id, client.PageParams{Size: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range page.Items {
		fmt.Println(*item.Title, item.Status)
	}
	// Output:
	// We choose to go to the Moon submitted
	// The Gettysburg Address skipped
}

// A program reads the texts of what a feed has brought.
func ExampleFollowService_AllItems() {
	ctx := context.Background()
	c := exampleClient()
	id := exampleFollow(c).ID // a follow with MaxItems 1

	for item, err := range c.Follows.AllItems(ctx, id) {
		if err != nil {
			log.Fatal(err)
		}
		if item.Status != follow.ItemSubmitted {
			continue
		}
		result, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.ID(*item.Platform, *item.ExternalID)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Transcript.Segments[0].Text)
	}
	// Output:
	// We choose to go to the moon.
}

func ExampleFollowService_List() {
	c := exampleClient()
	exampleFollow(c) // the account follows one feed

	page, err := c.Follows.List(context.Background(), client.PageParams{Size: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, followed := range page.Items {
		fmt.Println(followed.Kind, *followed.Title)
	}
	// Output:
	// feed Famous speeches
}

// A program looks for follows that the service cannot read.
func ExampleFollowService_All() {
	c := exampleClient()
	exampleFollow(c) // the account follows one feed

	follows, failing := 0, 0
	for f, err := range c.Follows.All(context.Background(), client.PageParams{}) {
		if err != nil {
			log.Fatal(err)
		}
		follows++
		if f.Status == follow.Failing {
			failing++
		}
	}
	fmt.Println(follows, "follow,", failing, "failing")
	// Output:
	// 1 follow, 0 failing
}

func ExampleFollowService_Pause() {
	c := exampleClient()
	id := exampleFollow(c).ID

	followed, err := c.Follows.Pause(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(followed.Status)
	// Output:
	// paused
}

// A follow that goes on also gets what has appeared during the pause.
func ExampleFollowService_Resume() {
	ctx := context.Background()
	c := exampleClient()
	id := exampleFollow(c).ID
	if _, err := c.Follows.Pause(ctx, id); err != nil {
		log.Fatal(err)
	}

	followed, err := c.Follows.Resume(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(followed.Status)
	// Output:
	// active
}

// Delete ends a follow. The transcripts stay in the library.
func ExampleFollowService_Delete() {
	ctx := context.Background()
	c := exampleClient()
	id := exampleFollow(c).ID

	if err := c.Follows.Delete(ctx, id); err != nil {
		log.Fatal(err)
	}
	_, err := c.Follows.Get(ctx, id)
	fmt.Println("not there:", errors.Is(err, transcript.NotFound))
	// Output:
	// not there: true
}

// The service also publishes: any reader of feeds shows the new texts of an account, with an
// address and without a key.
func ExampleLibraryService_RenewFeed() {
	ctx := context.Background()
	c := exampleClient("moonspeech1") // the library has one talk

	feed, err := c.Library.RenewFeed(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := http.Get(feed.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	atom, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(atom), "<title>We choose to go to the Moon</title>"))
	// Output:
	// true
}

// The address of the feed is a secret that only RenewFeed tells.
func ExampleLibraryService_Feed() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	state, err := c.Library.Feed(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("there is a feed:", state.Feed != nil)
	if _, err := c.Library.RenewFeed(ctx); err != nil {
		log.Fatal(err)
	}
	if state, err = c.Library.Feed(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("there is a feed:", state.Feed != nil)
	// Output:
	// there is a feed: false
	// there is a feed: true
}

// DeleteFeed deletes the address of the feed. A reader that still asks for the address gets a 404.
func ExampleLibraryService_DeleteFeed() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	feed, err := c.Library.RenewFeed(ctx)
	if err != nil {
		log.Fatal(err)
	}

	if err := c.Library.DeleteFeed(ctx); err != nil {
		log.Fatal(err)
	}
	answer, err := http.Get(feed.URL)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// 404 Not Found
}
