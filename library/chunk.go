package library

import "github.com/transcriptkit/transcriptkit/transcript"

// ChunkPage is a page of the chunks of a saved transcript.
type ChunkPage struct {
	Platform      transcript.Platform `json:"platform"`
	ExternalID    string              `json:"externalId"`
	Lang          string              `json:"lang"`
	Chunks        []transcript.Chunk  `json:"chunks"`
	NextPageToken string              `json:"nextPageToken,omitempty"` // empty: there is no more
}
