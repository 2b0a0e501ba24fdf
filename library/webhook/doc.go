// Package webhook has the types of webhooks. The service sends an event to each endpoint of
// an account when a job or a batch ends, as the Standard Webhooks specification describes.
//
// An [Endpoint] is an address of the account, an [Event] is the body of a request to
// it, and a [Delivery] is the sending of one event to one endpoint. A receiver checks
// the signature of each request with
// [github.com/transcriptkit/transcriptkit/client.VerifyWebhook]:
//
//	event, err := client.VerifyWebhook(secrets, r.Header, body)
//	if err != nil {
//		http.Error(w, "bad signature", http.StatusBadRequest)
//		return
//	}
//	if event.Type == webhook.TranscriptCompleted {
//		job, err := c.Jobs.Get(ctx, event.Data.JobID)
//		…
//	}
package webhook
