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

// Get looks at a job without waiting for its end.
func ExampleJobService_Get() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	_, submitted, err := c.Transcripts.Submit(ctx, transcript.Request{
		Source: transcript.URL("https://youtu.be/longlecture"), Wait: new(time.Duration(0)),
	})
	if err != nil {
		log.Fatal(err)
	}

	job, err := c.Jobs.Get(ctx, submitted.JobID)
	if err != nil {
		log.Fatal(err)
	}
	if !job.Status.Terminal() {
		fmt.Println("the text is not there yet")
	}
	// Output:
	// the text is not there yet
}

// A process that knows the id of a job waits for the text.
func ExampleJobService_Wait() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: exampleRecording(), Wait: new(time.Duration(0))})
	if err != nil {
		log.Fatal(err)
	}

	result, err := c.Jobs.Wait(ctx, job.JobID)
	if err != nil {
		log.Fatal(err) // a *JobError if the job has failed
	}
	fmt.Println(result.Transcript.Segments[0].Text)
	// Output:
	// Ask not what your country can do for you.
}

func ExampleJobService_Cancel() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{
		Source: transcript.URL("https://youtu.be/longlecture"), Wait: new(time.Duration(0)),
	})
	if err != nil {
		log.Fatal(err)
	}

	job, err = c.Jobs.Cancel(ctx, job.JobID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Status)

	_, err = c.Jobs.Cancel(ctx, job.JobID)
	fmt.Println("it has ended already:", errors.Is(err, transcript.StateConflict))
	// Output:
	// cancelled
	// it has ended already: true
}

// A program shows the text while a long recording is still recognized.
func ExampleJobService_Events() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: exampleRecording(), Wait: new(time.Duration(0))})
	if err != nil {
		log.Fatal(err)
	}

	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case transcript.EventProgress:
			// event.Job.Stage, and event.Job.Progress while speech is recognized
		case transcript.EventSegments:
			// event.Segments, the text as far as it is there
		case transcript.EventCompleted:
			fmt.Println(event.Job.Result.Transcript.Segments[0].Text)
		case transcript.EventFailed, transcript.EventCancelled:
			fmt.Println("there is no text:", event.Job.Error)
		}
	}
	// Output:
	// Ask not what your country can do for you.
}

// A failed job is an error of its own: the request was good, but the work did not succeed.
func ExampleJobError() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{
		Source: transcript.URL("https://youtu.be/removedtalk"), Wait: new(time.Duration(0)),
	})
	if err != nil {
		log.Fatal(err)
	}

	_, err = c.Jobs.Wait(ctx, job.JobID)
	var failed *client.JobError
	if errors.As(err, &failed) {
		fmt.Println(failed.Job.Status, failed.Job.Error.Code)
	}
	if errors.Is(err, transcript.Unavailable) { // the same, if only the reason counts
		fmt.Println("choose another video")
	}
	// Output:
	// failed UNAVAILABLE
	// choose another video
}

// A wait that ends early loses nothing: the error has the id of the job, and the job goes on.
func ExampleWaitError() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	_, job, err := c.Transcripts.Submit(context.Background(), transcript.Request{
		Source: transcript.URL("https://youtu.be/longlecture"), Wait: new(time.Duration(0)),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // in a program: a deadline, or the end of the program

	_, err = c.Jobs.Wait(ctx, job.JobID)
	var unfinished *client.WaitError
	if errors.As(err, &unfinished) {
		job, err := c.Jobs.Get(context.Background(), unfinished.Job.JobID) // later, or in another process
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("still to wait for:", !job.Status.Terminal())
	}
	// Output:
	// still to wait for: true
}
