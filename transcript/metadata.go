package transcript

import (
	"reflect"
	"time"
)

// Metadata is what a platform says about a piece of content. A zero member is
// not known.
type Metadata struct {
	Title         string    `json:"title,omitempty"`
	Channel       string    `json:"channel,omitempty"`
	CreatorName   string    `json:"creatorName,omitempty"`
	CreatorHandle string    `json:"creatorHandle,omitempty"` // "@name"
	CreatorURL    string    `json:"creatorUrl,omitempty"`
	ThumbnailURL  string    `json:"thumbnailUrl,omitempty"`
	Duration      float64   `json:"duration,omitempty"` // seconds, as the platform claims
	PublishedAt   time.Time `json:"publishedAt,omitzero"`
	Chapters      []Chapter `json:"chapters,omitempty"` // in the order of time
}

// IsZero reports whether nothing is known.
func (m Metadata) IsZero() bool { return reflect.ValueOf(m).IsZero() }

// Status says how complete m is, once the platform has been asked: complete when
// title, creator and duration are known, partial when some of them are.
func (m Metadata) Status() MetadataStatus {
	title, creator, duration := m.Title != "", m.CreatorName != "" || m.Channel != "", m.Duration > 0
	switch {
	case title && creator && duration:
		return MetadataComplete
	case title || creator || duration:
		return MetadataPartial
	}
	return MetadataUnavailable
}
