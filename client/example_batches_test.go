package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A batch of links. The service makes the transcripts, whether or not the program still runs.
func ExampleBatchService_Create() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	made, err := c.Batches.Create(context.Background(), client.BatchParams{
		URLs: []string{
			"https://www.youtube.com/watch?v=gettysburg1",
			"https://youtu.be/moonspeech1",
			"https://youtu.be/moonspeech1?t=60", // the same video
		},
		Language: []string{"en"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Mode, "with", made.Counts.Total, "items,", made.Counts.Skipped(), "of them twice")
	// Output:
	// batch with 3 items, 1 of them twice
}

// The newest ten videos of a channel.
func ExampleBatchService_Create_channel() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	made, err := c.Batches.Create(ctx, client.BatchParams{Channel: "@speeches", MaxItems: 10})
	if err != nil {
		log.Fatal(err)
	}
	ended, err := c.Batches.Wait(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Mode, ended.Counts.Success)
	// Output:
	// channel 3
}

// A table, such as an export of another program, is a list of links too.
func ExampleBatchService_Create_csv() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	table := strings.NewReader("title,url\nGettysburg,https://youtu.be/gettysburg1\nRice,https://youtu.be/moonspeech1\n")

	made, err := c.Batches.Create(context.Background(), client.BatchParams{CSV: table})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Counts.Total)
	// Output:
	// 2
}

// Wait returns when each item has ended. Some items may have failed.
func ExampleBatchService_Wait() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"gettysburg1", "moonspeech1", "removedtalk"}})
	if err != nil {
		log.Fatal(err)
	}

	ended, err := c.Batches.Wait(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Status, ended.Counts.Success, "of", ended.Total)
	// Output:
	// completed 2 of 3
}

// Get looks at a batch without waiting for its end.
func ExampleBatchService_Get() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"longlecture"}})
	if err != nil {
		log.Fatal(err)
	}

	b, err := c.Batches.Get(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d items have ended\n", b.Done, b.Total)
	// Output:
	// 0 of 1 items have ended
}

func ExampleBatchService_List() {
	c := exampleClient()
	exampleBatch(c) // the account has a batch of three videos

	page, err := c.Batches.List(context.Background(), client.BatchListParams{
		Status:     batch.Completed,
		PageParams: client.PageParams{Size: 10},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range page.Items {
		fmt.Println(b.Mode, b.Done, "of", b.Total)
	}
	fmt.Println("more:", page.Next != "")
	// Output:
	// batch 3 of 3
	// more: false
}

// A loop over all batches stops at the first one that it looks for, and asks for no more pages.
func ExampleBatchService_All() {
	c := exampleClient()
	exampleBatch(c) // the account has a batch of three videos

	for b, err := range c.Batches.All(context.Background(), client.BatchListParams{}) {
		if err != nil {
			log.Fatal(err)
		}
		if b.Failed > 0 {
			fmt.Println("the newest batch with a failed item has", b.Total, "items")
			break
		}
	}
	// Output:
	// the newest batch with a failed item has 3 items
}

// The Next of a page is the Token of the page after it.
func ExampleBatchService_Items() {
	ctx := context.Background()
	c := exampleClient()
	id := exampleBatch(c).ID // a batch of three videos

	var at client.PageParams
	for at.Size = 2; ; {
		page, err := c.Batches.Items(ctx, id, at)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(page.Items), "items")
		if at.Token = page.Next; at.Token == "" {
			break
		}
	}
	// Output:
	// 2 items
	// 1 items
}

func ExampleBatchService_AllItems() {
	c := exampleClient()
	id := exampleBatch(c).ID // a batch of three videos

	for item, err := range c.Batches.AllItems(context.Background(), id) {
		if err != nil {
			log.Fatal(err)
		}
		switch item.Status {
		case batch.ItemSuccess:
			fmt.Println(item.ExternalID, item.Title)
		case batch.ItemFailed:
			fmt.Println(item.ExternalID, *item.Error, "may be retried:", *item.Retryable)
		}
	}
	// Output:
	// gettysburg1 The Gettysburg Address
	// moonspeech1 We choose to go to the Moon
	// removedtalk UNAVAILABLE may be retried: false
}

// Retry makes those failed items again that may succeed now. The others keep their errors.
func ExampleBatchService_Retry() {
	c := exampleClient()
	id := exampleBatch(c).ID // a batch of three videos

	retried, err := c.Batches.Retry(context.Background(), id, client.RetryParams{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("items that are made again:", retried.Retried)
	for _, left := range retried.NotRetried {
		fmt.Println("an item stays as it is:", left.Reason)
	}
	// Output:
	// items that are made again: 0
	// an item stays as it is: UNAVAILABLE
}

func ExampleBatchService_Cancel() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"longlecture"}})
	if err != nil {
		log.Fatal(err)
	}

	cancelled, err := c.Batches.Cancel(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cancelled.Status)
	// Output:
	// cancelled
}

// Delete removes the record of a batch. The transcripts stay in the library.
func ExampleBatchService_Delete() {
	ctx := context.Background()
	c := exampleClient()
	id := exampleBatch(c).ID // a batch of three videos

	if err := c.Batches.Delete(ctx, id); err != nil {
		log.Fatal(err)
	}
	_, err := c.Batches.Get(ctx, id)
	fmt.Println("not there:", errors.Is(err, transcript.NotFound))
	// Output:
	// not there: true
}

// All texts of a batch as one file, here on the standard output.
func ExampleBatchService_Export() {
	c := exampleClient()
	id := exampleBatch(c).ID // a batch of three videos

	file, err := c.Batches.Export(context.Background(), id, client.ExportParams{Format: batch.TXT, OmitTimestamps: true})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(os.Stdout, file); err != nil {
		log.Fatal(err)
	}
	// Output:
	// # The Gettysburg Address
	// https://www.youtube.com/watch?v=gettysburg1
	//
	// Four score and seven years ago our fathers brought forth on this continent a new nation, conceived in liberty.
	//
	// ---
	//
	// # We choose to go to the Moon
	// https://www.youtube.com/watch?v=moonspeech1
	//
	// We choose to go to the moon. Not because it is easy, but because it is hard.
}

// A batch without a single text is an error of its own: the request was good, but the work did
// not succeed.
func ExampleBatchError() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"removedtalk"}})
	if err != nil {
		log.Fatal(err)
	}

	_, err = c.Batches.Wait(ctx, made.ID)
	var failed *client.BatchError
	if errors.As(err, &failed) {
		fmt.Println(failed.Batch.Status, failed.Batch.Failed, "of", failed.Batch.Total)
	}
	// Output:
	// failed 1 of 1
}

// A wait that ends early loses nothing: the error has the id of the batch, and the batch goes
// on.
func ExampleBatchWaitError() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	made, err := c.Batches.Create(context.Background(), client.BatchParams{URLs: []string{"longlecture"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // in a program: a deadline, or the end of the program

	_, err = c.Batches.Wait(ctx, made.ID)
	var unfinished *client.BatchWaitError
	if errors.As(err, &unfinished) {
		fmt.Println("wait again later:", unfinished.Batch.ID == made.ID)
	}
	// Output:
	// wait again later: true
}
