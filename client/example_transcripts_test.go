package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A link becomes a transcript: from captions in the first language of the list that there are
// captions in, else by speech recognition.
func ExampleTranscriptService_Get() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	result, err := c.Transcripts.Get(context.Background(), transcript.Request{
		Source:   transcript.URL("https://www.youtube.com/watch?v=gettysburg1"),
		Language: []string{"fr", "en"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Language, *result.LengthText)
	for _, s := range result.Transcript.Segments {
		fmt.Println(s.Start, s.Text)
	}
	// Output:
	// en 0:12
	// 0 Four score and seven years ago
	// 2.5 our fathers brought forth on this continent a new nation,
	// 6.5 conceived in liberty.
}

// A request can say how many people speak. The segments then have speakers, if the service can tell
// them apart.
func ExampleTranscriptService_Get_speakers() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	result, err := c.Transcripts.Get(context.Background(), transcript.Request{
		Source:    exampleRecording(), // transcript.File(path)
		Listening: transcript.Listening{Speakers: 2},
	})
	if errors.Is(err, transcript.NotImplemented) {
		fmt.Println("The service has no diarizer.")
		return
	} else if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Transcript.Segments {
		fmt.Printf("%s: %s\n", s.Speaker, s.Text)
	}
	// Output: The service has no diarizer.
}

// A file is uploaded, and its speech is recognized. Text is easier to print than segments.
func ExampleTranscriptService_Get_file() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "talk.mp3")
	if err := os.WriteFile(path, []byte("the recording"), 0o600); err != nil {
		log.Fatal(err)
	}

	result, err := c.Transcripts.Get(context.Background(), transcript.Request{Source: transcript.File(path), Format: transcript.Text})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Text)
	// Output:
	// [00:00:00] Ask not what your country can do for you.
}

// An upload need not be a file on a disk. The client opens the source again for each attempt.
func ExampleTranscriptService_Get_upload() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	recording := "the bytes of a recording"

	result, err := c.Transcripts.Get(context.Background(), transcript.Request{
		Source: transcript.Media("memo.ogg", int64(len(recording)), func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(recording)), nil
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Transcript.Source, result.Transcript.Segments[0].Text)
	// Output:
	// asr Ask not what your country can do for you.
}

// A program that must not wait keeps the id of the job, and any process can ask for the text
// later.
func ExampleTranscriptService_Submit() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	now := time.Duration(0)
	result, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: exampleRecording(), Wait: &now})
	if err != nil {
		log.Fatal(err)
	}
	if result == nil { // the service has to work for the text
		result, err = c.Jobs.Wait(ctx, job.JobID)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Transcript.Segments[0].Text)
	// Output:
	// Ask not what your country can do for you.
}

// A page shows what a link is before a person decides to transcribe it. The question costs
// nothing.
func ExampleTranscriptService_Info() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	info, err := c.Transcripts.Info(context.Background(), transcript.URL("https://youtu.be/gettysburg1"))
	if err != nil {
		log.Fatal(err)
	}
	if info.Title != nil { // the platform tells the title
		fmt.Println(*info.Title)
	}
	fmt.Println("captions in:", info.Languages)
	fmt.Println("speech recognition:", info.ASR.Available)
	// Output:
	// The Gettysburg Address
	// captions in: [en de]
	// speech recognition: true
}

// Captions reads captions and starts no job, so a video without captions in the right language
// is a report and not an error.
func ExampleTranscriptService_Captions() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	report, err := c.Transcripts.Captions(context.Background(), "moonspeech1", []string{"fr"})
	if err != nil {
		log.Fatal(err)
	}
	for _, track := range report.Tracks {
		fmt.Println("there is", track.Lang, track.Kind)
	}
	if report.Error != nil && errors.Is(report.Error, transcript.ASRRequiresAsync) {
		fmt.Println("French needs speech recognition, which Transcripts.Get starts")
	}
	// Output:
	// there is en manual
	// there is de auto
	// French needs speech recognition, which Transcripts.Get starts
}
