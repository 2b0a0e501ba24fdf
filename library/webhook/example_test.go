package webhook_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// A receiver branches on the type of an event, after client.VerifyWebhook has read it.
func ExampleEvent() {
	body := `{"type": "transcript.completed", "timestamp": "2026-11-24T03:00:00.000Z",
		"data": {"jobId": "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"}}`
	var event webhook.Event
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		log.Fatal(err)
	}
	switch event.Type {
	case webhook.TranscriptCompleted:
		fmt.Println("read the text at", event.Timestamp)
	case webhook.TranscriptFailed:
		fmt.Println("there is no text")
	}
	// Output:
	// read the text at 2026-11-24T03:00:00.000Z
}

// A secret does not get into a log by chance.
func ExampleSecret() {
	secret := webhook.NewSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	fmt.Printf("%v %+v %q\n", secret, secret, secret)
	fmt.Println(len(secret.Reveal()), "characters go to the place of secrets")
	// Output:
	// [secret] [secret] [secret]
	// 38 characters go to the place of secrets
}
