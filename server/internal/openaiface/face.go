// Package openaiface serves the transcription routes of OpenAI's API, so that programs for that API
// use this service. docs/guides/openai.md describes the routes. A recording becomes a job like any other.
package openaiface

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
)

// Face has the routes. Every member except Admit is required.
type Face struct {
	API      *api.API
	Lifetime *edge.Lifetime
	Pipeline *service.Service
	Admit    resource.Admit // makes the final decision about new work; nil means that the plan decides
}

// createTranscription is the name of the operation, for Admit.
const createTranscription = "createTranscription"

// Routes are the routes of the face. The OpenAPI document does not contain them, because
// another API defines their forms.
func (f *Face) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodPost, Pattern: "/v1/audio/transcriptions", Operation: createTranscription,
			Scope: account.Transcripts, Streams: true, Handle: f.createTranscription, Refusal: refusal,
		},
		{
			Method: http.MethodPost, Pattern: "/v1/audio/translations", Operation: "createTranslation",
			Scope: account.Transcripts, Handle: refuseTranslation, Refusal: refusal,
		},
		{
			Method: http.MethodGet, Pattern: "/v1/models", Operation: "listModels",
			Scope: account.Transcripts, Handle: f.listModels, Refusal: refusal,
		},
	}
}

// refuseTranslation is POST /v1/audio/translations.
func refuseTranslation(http.ResponseWriter, *http.Request) error {
	return invalid("", "unsupported_operation",
		"This service does not translate. POST /v1/audio/transcriptions writes down what is said in the language in which it is said.")
}
