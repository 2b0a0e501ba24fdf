package transcript

import (
	"encoding/json"
	"math"
)

// Chapter is a part of the media with a title from the platform. It ends where the next
// one begins.
type Chapter struct {
	Title string  `json:"title"`             // the chapter's title on the platform
	Start float64 `json:"start" minimum:"0"` // seconds from the start of the media
}

// Chapters returns the chapters from the member "chapters" of t.Metadata, in order of
// time. It returns nil if the platform names no chapters, or if t has no metadata. It
// leaves out invalid values, and chapters that do not start later than the previous
// one.
func (t *Transcript) Chapters() []Chapter {
	var given []Chapter
	switch all := t.Metadata["chapters"].(type) {
	case nil:
		return nil
	case []Chapter:
		given = all
	case []any: // a value as encoding/json reads it
		for _, entry := range all {
			var c Chapter
			data, err := json.Marshal(entry)
			if err == nil && json.Unmarshal(data, &c) == nil {
				given = append(given, c)
			}
		}
	}
	var chapters []Chapter
	last := -1.0
	for _, c := range given {
		if c.Start > last && c.Start >= 0 && !math.IsInf(c.Start, 0) {
			chapters = append(chapters, c)
			last = c.Start
		}
	}
	return chapters
}
