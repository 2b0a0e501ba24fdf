package library

import "github.com/transcriptkit/transcriptkit/transcript"

// ChunkPage is a page of the chunks of a saved transcript.
type ChunkPage struct {
	Platform      transcript.Platform `json:"platform"`                // where the content is
	ExternalID    string              `json:"externalId"`              // the platform's own id of the content
	Lang          string              `json:"lang"`                    // the language of the text
	Chunks        []transcript.Chunk  `json:"chunks"`                  // the chunks of the page, in the order of time
	NextPageToken string              `json:"nextPageToken,omitempty"` // the token of the next page; empty on the last page
}
