package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// exampleReceivers are the handlers of receivers, by path.
var exampleReceivers sync.Map

// exampleAddress returns an address where nothing checks what it receives.
func exampleAddress() string {
	return fmt.Sprintf("%s/hooks/%d", startExamples().publisher.URL, exampleNumber.Add(1))
}

// exampleServe serves a handler at an address.
func exampleServe(address string, h http.Handler) {
	at, err := url.Parse(address)
	if err != nil {
		log.Fatal(err)
	}
	exampleReceivers.Store(at.Path, h)
}

// exampleWebhook returns a webhook whose receiver takes every event.
func exampleWebhook(c *client.Client) webhook.Endpoint {
	made, err := c.Webhooks.Create(context.Background(), webhook.Params{URL: exampleAddress()})
	if err != nil {
		log.Fatal(err)
	}
	return made.Webhook
}

// exampleDelivery returns the test event that the service sends to a new webhook, after it has arrived.
func exampleDelivery(c *client.Client, id string) webhook.Delivery {
	for ticker := time.NewTicker(10 * time.Millisecond); ; <-ticker.C {
		page, err := c.Webhooks.Deliveries(context.Background(), id, client.DeliveryParams{Status: webhook.Delivered})
		if err != nil {
			log.Fatal(err)
		}
		if len(page.Items) > 0 {
			ticker.Stop()
			return page.Items[0]
		}
	}
}

// A receiver checks each request, and learns of the end of a job without asking.
func ExampleVerifyWebhook() {
	ctx := context.Background()
	c := exampleClient()        // client.New(url, client.WithAPIKey(key))
	address := exampleAddress() // such as https://program.example/hooks
	made, err := c.Webhooks.Create(ctx, webhook.Params{URL: address, Events: []webhook.EventType{webhook.TranscriptCompleted}})
	if err != nil {
		log.Fatal(err)
	}

	secrets := []string{made.Secret.Reveal()} // and the one before, while the secret changes
	ended := make(chan *webhook.Event, 1)
	exampleServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // http.ListenAndServe in a program
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhook.MaxBody))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		event, err := client.VerifyWebhook(secrets, r.Header, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if event.Type != webhook.Test { // the service tests an address first, by itself
			ended <- event // a program first looks whether it has seen event.ID: events may come twice
		}
	}))

	if _, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: exampleRecording()}); err != nil {
		log.Fatal(err)
	}
	event := <-ended
	job, err := c.Jobs.Get(ctx, event.Data.JobID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(event.Type, job.Status)
	// Output: transcript.completed success
}

// The error says what is wrong with a request.
func ExampleVerifyWebhook_faults() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stale := http.Header{
		"Webhook-Id":        {"msg_p5jXN8AQM9LWM0D4loKWxJek"},
		"Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	_, err := client.VerifyWebhook([]string{secret}, stale, []byte(`{"test": 2432232314}`))
	fmt.Println(errors.Is(err, webhook.FaultTime))

	_, err = client.VerifyWebhook([]string{secret}, http.Header{}, nil)
	fmt.Println(err)
	// Output:
	// true
	// client: webhook: unusable header: the request has webhook-id 0 times, not once
}

// The service tells the secret once. The secret does not print itself.
func ExampleWebhookService_Create() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))

	made, err := c.Webhooks.Create(context.Background(), webhook.Params{
		URL:    exampleAddress(), // such as https://program.example/hooks
		Events: []webhook.EventType{webhook.TranscriptCompleted, webhook.TranscriptFailed},
	})
	if err != nil {
		log.Fatal(err)
	}
	keep := made.Secret.Reveal()
	fmt.Println(made.Webhook.Status, made.Webhook.Events, made.Secret, strings.HasPrefix(keep, "whsec_"))
	// Output: active [transcript.completed transcript.failed] [secret] true
}

func ExampleWebhookService_List() {
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	exampleWebhook(c)    // the account has a webhook

	all, err := c.Webhooks.List(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range all {
		fmt.Println(w.Status, strings.HasPrefix(w.PublicKey, "whpk_"))
	}
	// Output: active true
}

func ExampleWebhookService_Get() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook

	w, err := c.Webhooks.Get(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Status, w.DisabledReason == nil)
	// Output: active true
}

// Change leaves the fields unchanged that are nil.
func ExampleWebhookService_Change() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook

	w, err := c.Webhooks.Change(context.Background(), id, webhook.Change{
		Status:      new(webhook.Paused),
		Description: new("while the program moves"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Status, w.Description)
	// Output: paused while the program moves
}

func ExampleWebhookService_Delete() {
	ctx := context.Background()
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook

	if err := c.Webhooks.Delete(ctx, id); err != nil {
		log.Fatal(err)
	}
	_, err := c.Webhooks.Get(ctx, id)
	fmt.Println(errors.Is(err, transcript.NotFound))
	// Output: true
}

// The old secret is good for a day more, so that no event is lost while the receiver learns
// the new one.
func ExampleWebhookService_Rotate() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook

	keys, err := c.Webhooks.Rotate(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(keys.Secret, time.Until(keys.PreviousUntil.Time) > 23*time.Hour)
	// Output: [secret] true
}

func ExampleWebhookService_Test() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook

	delivery, err := c.Webhooks.Test(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(delivery.Type, delivery.Status)
	// Output: test pending
}

func ExampleWebhookService_Deliveries() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook
	exampleDelivery(c, id)     // an event has arrived there

	page, err := c.Webhooks.Deliveries(context.Background(), id, client.DeliveryParams{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range page.Items {
		fmt.Println(d.Type, d.Status, d.Attempts, *d.LastStatus)
	}
	// Output: test delivered 1 200
}

// The reasons of all that has failed.
func ExampleWebhookService_AllDeliveries() {
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook
	exampleDelivery(c, id)     // an event has arrived there

	failed := 0
	for d, err := range c.Webhooks.AllDeliveries(context.Background(), id, client.DeliveryParams{Status: webhook.Failed}) {
		if err != nil {
			log.Fatal(err)
		}
		failed++
		fmt.Println(d.ID, *d.LastError)
	}
	fmt.Println(failed, "have failed")
	// Output: 0 have failed
}

func ExampleWebhookService_Resend() {
	c := exampleClient()               // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID         // the account has a webhook
	delivery := exampleDelivery(c, id) // an event has arrived there

	again, err := c.Webhooks.Resend(context.Background(), id, delivery.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.ID == delivery.ID, again.Status)
	// Output: true pending
}

// After a fault of the receiver, the deliveries of the last hour are sent again.
func ExampleWebhookService_ResendRange() {
	ctx := context.Background()
	c := exampleClient()       // client.New(url, client.WithAPIKey(key))
	id := exampleWebhook(c).ID // the account has a webhook
	exampleDelivery(c, id)     // an event has arrived there

	which := webhook.Resend{Since: time.Now().Add(-time.Hour), Status: webhook.Delivered}
	for {
		resent, err := c.Webhooks.ResendRange(ctx, id, which)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resent.Resent, "on their way")
		if resent.Next == nil {
			break
		}
		which.Since = resent.Next.Time
	}
	// Output: 1 on their way
}
