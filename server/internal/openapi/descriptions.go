package openapi

import (
	"encoding/json"

	"github.com/swaggest/openapi-go/openapi31"
)

// tags are the parts of the API, in the order in which a page shows them.
func tags() []openapi31.Tag {
	tag := func(name, description string) openapi31.Tag {
		return openapi31.Tag{Name: name, Description: &description}
	}
	return []openapi31.Tag{
		tag("transcripts", "Links and uploaded files become transcripts."),
		tag("uploads", "Files that arrive in several requests."),
		tag("jobs", "Longer work is a job, to be polled or followed."),
		tag("captions", "The description and the captions of a link. No job is started."),
		tag("discovery", "The contents of the video site: search, videos, channels, playlists."),
		tag("batches", "Many links, a playlist or a channel at once."),
		tag("follows", "Channels, playlists and feeds whose new items become transcripts."),
		tag("webhooks", "Addresses to which the service sends the ends of jobs and batches."),
		tag("library", "The saved transcripts of an account: lists, searches, files."),
		tag("usage", "The allowances of an account, and their use."),
		tag("service", "The state of the service, and its API."),
	}
}

// describeOperations adds to each operation its description in API.md.
func (t texts) describeOperations(spec *openapi31.Spec) {
	for _, item := range spec.Paths.MapOfPathItemValues {
		for _, op := range []*openapi31.Operation{item.Get, item.Head, item.Options, item.Put, item.Post, item.Patch, item.Delete} {
			if op != nil {
				t.Operations[*op.ID].show(op)
			}
		}
	}
}

// show adds the description of an operation in API.md, and the examples.
func (t operationTexts) show(op *openapi31.Operation) {
	op.WithDescription(t.Description)
	if t.Request != nil {
		setExample(op.RequestBody.RequestBody.Content, "application/json", t.Request)
	}
	for status, example := range t.Answers {
		answer, ok := op.Responses.MapOfResponseOrReferenceValues[status]
		if !ok || answer.Response == nil {
			continue
		}
		setExample(answer.Response.Content, "application/json", example)
	}
}

func setExample(content map[string]openapi31.MediaType, mediaType string, example json.RawMessage) {
	if media, ok := content[mediaType]; ok {
		content[mediaType] = *media.WithExample(example)
	}
}
