package transcript

import (
	"encoding/json"
	"math"
)

// Chapter is a part of the media that the platform names. It ends where the next one
// begins.
type Chapter struct {
	Title string  `json:"title"`             // its title, as the platform gives it
	Start float64 `json:"start" minimum:"0"` // seconds from the start of the media
}

// Chapters returns the chapters in the metadata of t under "chapters", in the order of
// time. It returns nothing if the platform gave no chapters, or if the metadata is left
// out. Chapters leaves out values that are not chapters, and chapters that do not come
// later than the chapter before.
func (t *Transcript) Chapters() []Chapter {
	var given []Chapter
	switch all := t.Metadata["chapters"].(type) {
	case nil:
		return nil
	case []Chapter:
		given = all
	case []any: // as JSON is read
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
