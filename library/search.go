package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Search says what is searched for in the texts of a library.
type Search struct {
	// Q is words, "phrases", and a * right after either for words that begin so; all
	// else in it is text. 1 to 200 characters.
	Q        string
	Platform transcript.Platform // empty: every one
	Lang     string              // an exact tag, at most 20 characters; empty: every one
}

// Found is a page of what a search has found.
type Found struct {
	Query         string  `json:"query"`                   // what was searched for
	Items         []Match `json:"items"`                   // the texts in which it is said
	NextPageToken string  `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}

// Match is a saved transcript in which a search has found something.
type Match struct {
	Platform   transcript.Platform `json:"platform"`             // where the content is
	ExternalID string              `json:"externalId"`           // the platform's own id of the content
	Lang       string              `json:"lang"`                 // the language of the text
	Title      *string             `json:"title"`                // its title; nil when not known
	Channel    *string             `json:"channel"`              // the channel that it is on; nil when not known
	Hits       []Hit               `json:"hits"`                 // the first five places where it is said
	HitCount   int                 `json:"hitCount" minimum:"1"` // all places where it is said
}

// Hit is a place in a transcript.
type Hit struct {
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is said, in seconds
	// Snippet is the text at the hit and around it, with at most 160 characters. It is
	// HTML with <mark> around the found words, and no other tag.
	Snippet string `json:"snippet"`
	// URL leads to the place, on platforms that know such links; nil elsewhere.
	URL *string `json:"url" format:"uri"`
}
