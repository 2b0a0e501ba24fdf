package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Search describes a search in the texts of a library.
type Search struct {
	// Q has words and "phrases", 1 to 200 characters in all. A * right after a word or
	// a phrase also finds longer words with the same beginning. All other characters
	// are plain text.
	Q        string
	Platform transcript.Platform // empty means every platform
	Lang     string              // an exact tag, at most 20 characters; empty means every language
}

// Found is a page of the results of a search.
type Found struct {
	Query         string  `json:"query"`                   // the text of the search
	Items         []Match `json:"items"`                   // the texts with hits
	NextPageToken string  `json:"nextPageToken,omitempty"` // the token of the next page; empty on the last page
}

// Match is a saved transcript with hits of a search.
type Match struct {
	Platform   transcript.Platform `json:"platform"`             // where the content is
	ExternalID string              `json:"externalId"`           // the platform's own id of the content
	Lang       string              `json:"lang"`                 // the language of the text
	Title      *string             `json:"title"`                // its title; nil when not known
	Channel    *string             `json:"channel"`              // the name of its channel; nil when not known
	Hits       []Hit               `json:"hits"`                 // the first five hits
	HitCount   int                 `json:"hitCount" minimum:"1"` // the number of all hits
}

// Hit is a place in a transcript that a search has found.
type Hit struct {
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // the length of the hit, in seconds
	// Snippet is the text at the hit and around it, with at most 160 characters. It is
	// HTML with <mark> around the found words, and no other tag.
	Snippet string `json:"snippet"`
	Speaker string `json:"speaker,omitempty"` // who speaks at the hit; empty if not known
	// URL is a link to this place in the media; nil if the platform has no such links.
	URL *string `json:"url" format:"uri"`
}
