package library

import "github.com/transcriptkit/transcriptkit/transcript"

// Share is a link that shows a saved transcript to everyone who has the link.
type Share struct {
	ID string `json:"id" format:"uuid"` // the id of the link, by which it can be deleted
	// URL is the path of the shared text on the service. Only the answer that makes the
	// link has it: the service cannot return it again.
	URL       string          `json:"url,omitempty" format:"uri-reference"`
	ExpiresAt transcript.Time `json:"expiresAt"` // when the link stops working
	CreatedAt transcript.Time `json:"createdAt"` // when the link was made
}

// SharedText is a saved transcript as a link shows it. Its members are those of a
// [transcript.Transcript], except for members that only the owner needs.
type SharedText struct {
	Platform      transcript.Platform  `json:"platform"`               // where the content is: upload for an uploaded file
	ExternalID    string               `json:"externalId,omitempty"`   // the platform's own id; empty for an upload
	SourceURL     *string              `json:"sourceUrl" format:"uri"` // the link in its plain form; nil for an upload
	Lang          string               `json:"lang"`                   // the language tag of the text; "und" if the language is unknown
	Title         *string              `json:"title"`                  // its title; nil when not known
	Channel       *string              `json:"channel"`                // the name of its channel; nil when not known
	CreatorName   *string              `json:"creatorName"`            // the name of who made it; nil when not known
	CreatorHandle *string              `json:"creatorHandle"`          // the handle of who made it, as "@name"; nil when not known
	CreatorURL    *string              `json:"creatorUrl"`             // the page of the creator; nil when not known
	DurationSec   *int                 `json:"durationSec"`            // the length of the media in seconds, rounded half up; nil when not known
	PublishedAt   *transcript.Time     `json:"publishedAt"`            // when it was published; nil when not known
	Metadata      SharedMetadata       `json:"metadata"`               // the chapters
	Source        transcript.Origin    `json:"source"`                 // how the text was made
	Segments      []transcript.Segment `json:"segments"`               // the lines of the text, sorted by Start
	UpdatedAt     transcript.Time      `json:"updatedAt"`              // when the text was last changed
}

// SharedMetadata is the part of the metadata that a link shows.
type SharedMetadata struct {
	Chapters []transcript.Chapter `json:"chapters,omitempty"` // in order of time; empty if the content has none
}

// Transcript returns the text as a [transcript.Transcript], such as for package format.
// Members that a link does not show are empty.
func (t *SharedText) Transcript() *transcript.Transcript {
	whole := &transcript.Transcript{
		Platform: t.Platform, ExternalID: t.ExternalID, SourceURL: t.SourceURL, Lang: t.Lang, Title: t.Title, Channel: t.Channel,
		CreatorName: t.CreatorName, CreatorHandle: t.CreatorHandle, CreatorURL: t.CreatorURL, DurationSec: t.DurationSec,
		PublishedAt: t.PublishedAt, Source: t.Source, Status: transcript.Ready, Segments: t.Segments, UpdatedAt: t.UpdatedAt,
	}
	if t.Metadata.Chapters != nil {
		whole.Metadata = map[string]any{"chapters": t.Metadata.Chapters}
	}
	return whole
}
