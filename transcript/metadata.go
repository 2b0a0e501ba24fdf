package transcript

import (
	"reflect"
	"time"
)

// Metadata is what a platform says about some content. A zero member means that the
// value is not known.
type Metadata struct {
	Title         string    `json:"title,omitempty"`
	Channel       string    `json:"channel,omitempty"`
	CreatorName   string    `json:"creatorName,omitempty"`
	CreatorHandle string    `json:"creatorHandle,omitempty"` // "@name"
	CreatorURL    string    `json:"creatorUrl,omitempty"`
	ThumbnailURL  string    `json:"thumbnailUrl,omitempty"`
	Duration      float64   `json:"duration,omitempty"` // in seconds, as the platform reports it
	PublishedAt   time.Time `json:"publishedAt,omitzero"`
	Chapters      []Chapter `json:"chapters,omitempty"` // in the order of time
}

// IsZero reports whether m is empty: nothing is known.
func (m Metadata) IsZero() bool { return reflect.ValueOf(m).IsZero() }

// Status returns how complete m is after the platform has answered: [MetadataComplete] if
// title, creator and duration are known, [MetadataPartial] if some of them are known, and
// otherwise [MetadataUnavailable].
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
