package openapi

import (
	"maps"
	"slices"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// received are the events that a webhook receives, each with its name for programs, and with the
// members of its data that are always there and those that may be there.
var received = map[webhook.EventType]struct {
	operation    string
	always, some []string
}{
	webhook.TranscriptCompleted: {"onTranscriptCompleted", []string{"jobId", "platform", "externalId"}, nil},
	webhook.TranscriptFailed:    {"onTranscriptFailed", []string{"jobId", "platform", "externalId", "error"}, nil},
	webhook.BatchCompleted:      {"onBatchCompleted", []string{"batchId", "counts"}, nil},
	webhook.BatchFailed:         {"onBatchFailed", []string{"batchId", "counts"}, []string{"error"}},
	webhook.FollowEnded:         {"onFollowEnded", []string{"followId"}, nil},
	webhook.Test:                {"onTest", nil, nil},
}

// describeWebhooks adds the requests that the service sends to a webhook. Each request contains its
// headers and its body completely, because oapi-codegen overlooks components to which only webhooks
// refer.
func describeWebhooks(r *openapi31.Reflector, words texts) error {
	event, err := wholeSchemaOf(r, webhook.Event{})
	if err != nil {
		return err
	}
	data, err := wholeSchemaOf(r, webhook.Data{})
	if err != nil {
		return err
	}
	for name, sent := range received {
		op := openapi31.Operation{Parameters: webhookHeaders()}
		op.WithID(sent.operation).WithTags("webhooks").WithSummary(string(name)).
			WithDescription(words.Values["WebhookEvent"][string(name)]).WithMapOfAnythingItem("security", []any{})
		op.RequestBodyEns().RequestBodyEns().WithRequired(true).WithContentItem("application/json",
			openapi31.MediaType{Schema: bodyOf(name, event, data, sent.always, sent.some)})
		op.ResponsesEns().WithMapOfResponseOrReferenceValuesItem("2XX", openapi31.ResponseOrReference{Response: &openapi31.Response{
			Description: "The event has been received. Any other status, or no answer within 20 seconds, makes the service try again.",
		}})
		r.Spec.WithWebhooksItem(string(name), openapi31.PathItemOrReference{PathItem: &openapi31.PathItem{Post: &op}})
	}
	return nil
}

func webhookHeaders() (all []openapi31.ParameterOrReference) {
	for _, h := range [][2]string{
		{"webhook-id", "The id of the delivery, the same in all attempts."},
		{"webhook-timestamp", "When the service made this attempt, as Unix time in seconds."},
		{"webhook-signature", "Signatures, separated by spaces: `v1,` by the secret, `v1a,` by the key pair."},
	} {
		header := openapi31.Parameter{Name: h[0], In: openapi31.ParameterInHeader, Schema: map[string]any{"type": "string"}}
		header.WithDescription(h[1]).WithRequired(true)
		all = append(all, openapi31.ParameterOrReference{Parameter: &header})
	}
	return all
}

// bodyOf is the schema of an event, with those members of its data that the event has.
func bodyOf(name webhook.EventType, event, data map[string]any, always, some []string) map[string]any {
	members := map[string]any{}
	for _, member := range slices.Concat(always, some) {
		members[member] = data["properties"].(map[string]any)[member] // of the reflector
	}
	of := map[string]any{"type": "object", "description": "To what it happened."}
	if len(always) > 0 {
		of["properties"], of["required"] = members, always
	}
	properties := maps.Clone(event["properties"].(map[string]any)) // of the reflector
	properties["data"] = of
	properties["type"] = map[string]any{"type": "string", "enum": []any{name}, "description": "What has happened."}
	return map[string]any{"type": "object", "properties": properties, "required": event["required"]}
}
