package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// signedWebhook are the headers of a request at a time.
func signedWebhook(t *testing.T, body string, at time.Time) http.Header {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(webhookSecret[len("whsec_"):])
	require.NoError(t, err)
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("d1." + timestamp + "." + body))
	return http.Header{
		"Webhook-Id":        {"d1"},
		"Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
}

func TestVerifyWebhookReturnsTheEvent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body string
		want webhook.Event
	}{
		"a transcript": {
			`{"type":"transcript.failed","timestamp":"2026-11-23T10:00:00.000Z","data":{"jobId":"j1","platform":"video_site","externalId":"v1","error":"UNAVAILABLE"}}`,
			webhook.Event{Type: webhook.TranscriptFailed, Data: webhook.Data{
				JobID: "j1", Platform: transcript.VideoSite, ExternalID: "v1", Error: new(transcript.Unavailable),
			}},
		},
		"a batch": {
			`{"type":"batch.completed","timestamp":"2026-11-23T10:00:00.000Z","data":{"batchId":"b1","counts":{"total":2,"pending":0,"success":1,"failed":1}}}`,
			webhook.Event{Type: webhook.BatchCompleted, Data: webhook.Data{BatchID: "b1", Counts: &batch.Counts{Total: 2, Success: 1, Failed: 1}}},
		},
		"a later version": {
			`{"type":"upload.completed","timestamp":"2026-11-23T10:00:00.000Z","data":{"uploadId":"u1"},"more":[1]}`,
			webhook.Event{Type: "upload.completed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, err := client.VerifyWebhook([]string{webhookSecret}, signedWebhook(t, tc.body, time.Now()), []byte(tc.body))
			require.NoError(t, err)
			tc.want.ID, tc.want.Timestamp = "d1", transcript.At(time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC))
			assert.Equal(t, tc.want, *event)
		})
	}
}

func TestVerifyWebhookRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body   string
		secret string
		fault  webhook.Fault
	}{
		"an unusable secret": {`{"type":"test"}`, "secret", webhook.FaultSecret},
		"another secret":     {`{"type":"test"}`, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx", webhook.FaultSignature},
		"no JSON":            {`type=test`, webhookSecret, webhook.FaultBody},
		"no object":          {`[]`, webhookSecret, webhook.FaultBody},
		"no type":            {`{"data":{}}`, webhookSecret, webhook.FaultBody},
		"no time":            {`{"type":"test","timestamp":"today"}`, webhookSecret, webhook.FaultBody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, err := client.VerifyWebhook([]string{tc.secret}, signedWebhook(t, tc.body, time.Now()), []byte(tc.body))
			require.ErrorIs(t, err, tc.fault)
			assert.Nil(t, event)
			assert.ErrorContains(t, err, "client: webhook: ")
		})
	}
}

// The clock of the receiver decides: a request is good for five minutes.
func TestVerifyWebhookExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const body = `{"type":"test","timestamp":"2026-11-23T10:00:00.000Z","data":{}}`
		h := signedWebhook(t, body, time.Now())
		time.Sleep(webhook.Tolerance) // of the bubble's clock
		_, err := client.VerifyWebhook([]string{webhookSecret}, h, []byte(body))
		require.NoError(t, err)
		time.Sleep(time.Second) // of the bubble's clock
		_, err = client.VerifyWebhook([]string{webhookSecret}, h, []byte(body))
		require.ErrorIs(t, err, webhook.FaultTime)
	})
}
