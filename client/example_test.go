package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// speech is a recording; in a program it is transcript.File("talk.mp3").
func speech() transcript.Source {
	return transcript.Media("talk.mp3", 9, func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("the media")), nil
	})
}

func Example() {
	service := exampleService()
	defer service.Close()

	ctx := context.Background()
	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: speech()})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Transcript.Segments {
		fmt.Printf("%.2f %s\n", s.Start, s.Text)
	}
	// Output:
	// 0.50 hello there
}

func ExampleJobService_Events() {
	service := exampleService()
	defer service.Close()

	ctx := context.Background()
	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	result, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: speech()})
	if err != nil {
		log.Fatal(err)
	}
	if result != nil {
		fmt.Println("known already:", result.Language)
		return
	}
	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Job.Status, event.Job.Stage)
	}
	// Output:
	// pending queued
	// processing asr_running
	// success done
}

// What a link is, before anything is done about it.
func ExampleTranscriptService_Info() {
	service := exampleService()
	defer service.Close()

	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	info, err := c.Transcripts.Info(context.Background(), transcript.URL("https://youtu.be/dQw4w9WgXcQ"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Platform, info.ExternalID, info.Languages)
	if info.DurationSec != nil { // the platform says how long it is
		fmt.Println(*info.DurationSec, "s")
	}
	// Output:
	// video_site dQw4w9WgXcQ [en]
	// 213 s
}

// Captions and nothing else: no speech is recognized, whatever the report says.
func ExampleTranscriptService_Captions() {
	service := exampleService()
	defer service.Close()

	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := c.Transcripts.Captions(context.Background(), "dQw4w9WgXcQ", []string{"en", "de"})
	if err != nil {
		log.Fatal(err)
	}
	for _, track := range report.Tracks {
		fmt.Println(track.Lang, track.Kind)
	}
	if report.Transcript != nil {
		fmt.Println(report.Transcript.Segments[0].Text)
	}
	// Output:
	// en manual
	// de auto
	// hello there
}

// What is left of the plan, before work is sent that it may not include.
func ExampleUsageService_Get() {
	service := exampleService()
	defer service.Close()

	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	usage, err := c.Usage.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("plan:", usage.Account.Plan)
	if left := usage.Transcripts.Remaining; left != nil { // else there is no limit
		fmt.Println("transcripts left:", *left, "until", usage.Period.End)
	}
	fmt.Println("recognized at the moment:", usage.ASRConcurrency.InUse)
	// Output:
	// plan: pro
	// transcripts left: 4587 until 2026-12-01T00:00:00.000Z
	// recognized at the moment: 1
}

func ExampleError() {
	service := exampleService()
	defer service.Close()

	c, err := client.New(service.URL) // no key
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Transcripts.Get(context.Background(), transcript.Request{Source: transcript.URL("https://video.example/1")})

	switch {
	case errors.Is(err, transcript.RateLimited):
		fmt.Println("later")
	case errors.Is(err, transcript.Unauthorized):
		fmt.Println("a key, please:", err)
	}
	// Output:
	// a key, please: POST /v1/transcript: 401 UNAUTHORIZED (request r_1)
}

func ExampleWaitError() {
	service := exampleService()
	defer service.Close()

	c, err := client.New(service.URL, client.WithAPIKey("tr_example"))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // in a program: a deadline

	_, err = c.Jobs.Wait(ctx, jobID)
	var unfinished *client.WaitError
	if errors.As(err, &unfinished) {
		fmt.Println("ask again later for", unfinished.Job.JobID)
	}
	// Output:
	// ask again later for 019321a0-7c11-7c3e-9a55-2f6d1f0c9b11
}

// exampleService answers as the real one does, with one finished job.
func exampleService() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") == "":
			w.Header().Set("X-Request-Id", "r_1")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"unauthorized"}`)
		case strings.HasSuffix(r.URL.Path, "/info"):
			writeJSON(w, http.StatusOK, infoBody())
		case strings.HasSuffix(r.URL.Path, "/captions"):
			writeJSON(w, http.StatusOK, reportBody())
		case r.URL.Path == "/v1/usage":
			fmt.Fprint(w, usageBody)
		case r.Method == http.MethodPost:
			_, _ = io.Copy(io.Discard, r.Body)
			writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
		case strings.HasSuffix(r.URL.Path, "/events"):
			w.Header().Set("Content-Type", "text/event-stream")
			queued, _ := json.Marshal(jobBody("pending", "queued", 1))
			fmt.Fprintf(w, "event: job.snapshot\ndata: %s\n\n%s%s", queued, transition(3, "asr_running"), completed(5))
		default:
			writeJSON(w, http.StatusOK, doneBody(5))
		}
	}))
}
