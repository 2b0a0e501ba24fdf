package openapi

import (
	"encoding/json"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// tags are the parts of the API, in the order in which a page shows them.
func tags() []openapi31.Tag {
	tag := func(name, description string) openapi31.Tag {
		return openapi31.Tag{Name: name, Description: &description}
	}
	return []openapi31.Tag{
		tag("transcripts", "Links and uploaded files become transcripts."),
		tag("uploads", "Uploads of files in several requests."),
		tag("jobs", "Work that takes longer is a job: poll it, or follow its events."),
		tag("captions", "The description and the captions of a link. No job is started."),
		tag("discovery", "What can be found on the video site: search it, and read its videos, channels and playlists."),
		tag("batches", "Many links, a playlist or a channel at once."),
		tag("follows", "Channels, playlists and feeds whose new items become transcripts."),
		tag("webhooks", "Addresses to which the service sends events."),
		tag("library", "The saved transcripts of an account: lists, searches, files."),
		tag("usage", "The account's allowances and their use."),
		tag("service", "The state of the service, and its API."),
	}
}

// describeOperations adds to each operation its description and its examples.
func (t texts) describeOperations(spec *openapi31.Spec, routes []edge.Route) {
	for _, rt := range routes {
		op, words := operationOf(spec, rt), t.Operations[rt.Operation]
		op.WithDescription(words.Description)
		if words.Request != nil {
			setExample(op.RequestBody.RequestBody.Content, "application/json", words.Request)
		}
		for status, example := range words.Answers {
			if answer := op.Responses.MapOfResponseOrReferenceValues[status].Response; answer != nil {
				setExample(answer.Content, "application/json", example)
			}
		}
	}
}

// describeAnswers says when an operation gives which answer. A shared answer keeps its own
// description, in addition to that of the operation.
func (t texts) describeAnswers(spec *openapi31.Spec, routes []edge.Route) {
	for _, rt := range routes {
		answers := operationOf(spec, rt).Responses.MapOfResponseOrReferenceValues
		for status, when := range t.Operations[rt.Operation].When {
			answer := answers[status]
			switch {
			case answer.Reference != nil:
				answers[status] = openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: answer.Reference.Ref, Description: &when}}
			case answer.Response != nil:
				answer.Response.WithDescription(when)
			}
		}
	}
}

func setExample(content map[string]openapi31.MediaType, mediaType string, example json.RawMessage) {
	if media, ok := content[mediaType]; ok {
		content[mediaType] = *media.WithExample(example)
	}
}
