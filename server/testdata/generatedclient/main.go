// Command generatedclient makes a call of each kind through a client that a generator
// made from openapi.json, which the test puts beside it: main URL KEY. It ends with an
// error where an answer is not what the client's types say.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
)

func main() {
	if err := calls(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func calls(ctx context.Context, url, key string) error {
	c, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	for _, call := range []struct {
		kind string
		make func(context.Context, *ClientWithResponses) error
	}{
		{"JSON POST", postJSON},
		{"multipart", upload},
		{"JSON GET", usage},
		{"204", star},
		{"pages by number", libraryPages},
		{"pages by token", batchPages},
		{"file", download},
		{"error as an object", envelope},
		{"error as a string", func(ctx context.Context, _ *ClientWithResponses) error { return flat(ctx, url) }},
	} {
		if err := call.make(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", call.kind, err)
		}
		fmt.Println(call.kind)
	}
	return nil
}

// video is the first of the videos that are made transcripts of.
const video = "dQw4w9WgXcQ"

func ptr[T any](v T) *T { return &v }

func postJSON(ctx context.Context, c *ClientWithResponses) error {
	for _, id := range []string{video, "9bZkp7q19f0", "jNQXAC9IVRw"} {
		a, err := c.CreateTranscriptWithResponse(ctx, &CreateTranscriptParams{IdempotencyKey: ptr(uuid.NewString())},
			CreateTranscriptJSONRequestBody{Url: ptr(id), Language: ptr("en")})
		if err != nil {
			return err
		}
		if a.JSON200 == nil {
			return fmt.Errorf("%s: %s", a.Status(), a.Body)
		}
		text, err := a.JSON200.Transcript.AsTranscript()
		if err != nil {
			return err
		}
		if text.ExternalId != id || len(text.Segments) == 0 || text.Segments[0].Text == "" {
			return fmt.Errorf("the transcript: %+v", text)
		}
	}
	return nil
}

// upload sends a file, follows the job to its end by the event stream, and reads it.
func upload(ctx context.Context, c *ClientWithResponses) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("waitMs", "0"); err != nil {
		return err
	}
	part, err := form.CreateFormFile("file", "talk.mp3")
	if err != nil {
		return err
	}
	if _, err := part.Write([]byte("a talk")); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	a, err := c.CreateTranscriptWithBodyWithResponse(ctx, nil, form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	if a.JSON202 == nil {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	stream, err := c.StreamTranscriptJobWithResponse(ctx, a.JSON202.JobId, nil)
	if err != nil {
		return err
	}
	if !bytes.Contains(stream.Body, []byte("event: job.completed\n")) {
		return fmt.Errorf("the stream: %s", stream.Body)
	}
	job, err := c.GetTranscriptJobWithResponse(ctx, a.JSON202.JobId, nil)
	if err != nil {
		return err
	}
	if job.JSON200 == nil || job.JSON200.Status != JobStatusSuccess || job.JSON200.Transcript == nil {
		return fmt.Errorf("the job: %s", job.Body)
	}
	return nil
}

func usage(ctx context.Context, c *ClientWithResponses) error {
	a, err := c.GetUsageWithResponse(ctx)
	if err != nil {
		return err
	}
	if a.JSON200 == nil || a.JSON200.Account.Id == "" || a.JSON200.Key == nil {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	return nil
}

func star(ctx context.Context, c *ClientWithResponses) error {
	a, err := c.StarTranscriptWithResponse(ctx, PlatformVideoSite, video, nil)
	if err != nil {
		return err
	}
	if a.StatusCode() != http.StatusNoContent {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	return nil
}

func libraryPages(ctx context.Context, c *ClientWithResponses) error {
	seen, total := map[string]bool{}, 1
	for page := 1; len(seen) < total; page++ {
		a, err := c.ListLibraryWithResponse(ctx, &ListLibraryParams{Page: ptr(page), PageSize: ptr(2)})
		if err != nil {
			return err
		}
		if a.JSON200 == nil || len(a.JSON200.Transcripts) == 0 {
			return fmt.Errorf("page %d: %s: %s", page, a.Status(), a.Body)
		}
		for _, row := range a.JSON200.Transcripts {
			seen[row.Id.String()] = true
		}
		total = a.JSON200.Total
	}
	if total < 4 {
		return fmt.Errorf("%d rows", total)
	}
	return nil
}

func batchPages(ctx context.Context, c *ClientWithResponses) error {
	for range 3 {
		a, err := c.CreateBatchWithResponse(ctx, nil, CreateBatchJSONRequestBody{Urls: &[]string{video}})
		if err != nil {
			return err
		}
		if a.JSON202 == nil {
			return fmt.Errorf("%s: %s", a.Status(), a.Body)
		}
	}
	seen, token := map[string]bool{}, (*string)(nil)
	for {
		a, err := c.ListBatchesWithResponse(ctx, &ListBatchesParams{MaxResults: ptr(2), PageToken: token})
		if err != nil {
			return err
		}
		if a.JSON200 == nil {
			return fmt.Errorf("%s: %s", a.Status(), a.Body)
		}
		for _, batch := range a.JSON200.Batches {
			seen[batch.Id.String()] = true
		}
		if token = a.JSON200.NextPageToken; token == nil {
			break
		}
	}
	if len(seen) != 3 {
		return fmt.Errorf("%d batches", len(seen))
	}
	return nil
}

func download(ctx context.Context, c *ClientWithResponses) error {
	a, err := c.DownloadTranscriptWithResponse(ctx, PlatformVideoSite, video, &DownloadTranscriptParams{Format: DownloadFormatVtt})
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(a.Body), "WEBVTT") {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	return nil
}

func envelope(ctx context.Context, c *ClientWithResponses) error {
	a, err := c.GetTranscriptJobWithResponse(ctx, uuid.New(), nil)
	if err != nil {
		return err
	}
	if a.JSON404 == nil {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	if e, err := a.JSON404.AsErrorEnvelope(); err != nil || e.Error.Code != NOTFOUND {
		return fmt.Errorf("%s: %s", a.Status(), a.Body)
	}
	return nil
}

func flat(ctx context.Context, url string) error {
	c, err := NewClientWithResponses(url)
	if err != nil {
		return err
	}
	a, err := c.GetUsageWithResponse(ctx)
	if err != nil {
		return err
	}
	if a.JSON401 == nil || a.JSON401.Error != "unauthorized" {
		return errors.New(a.Status() + ": " + string(a.Body))
	}
	return nil
}
