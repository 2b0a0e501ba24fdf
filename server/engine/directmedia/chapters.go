package directmedia

import (
	"context"
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxChapters limits a file of chapters, in bytes.
const maxChapters = 1 << 20

// chapters reads the chapters of an item, or returns nil if there are none that can be read.
// Their loss is not a reason to fail, because the text is complete without them.
func (s *Source) chapters(ctx context.Context, link string) []transcript.Chapter {
	if link == "" {
		return nil
	}
	a, err := s.openDocument(ctx, publisher, link)
	if err != nil {
		return nil
	}
	defer a.close()
	var doc struct {
		Chapters []struct {
			Start  float64 `json:"startTime"`
			Title  string  `json:"title"`
			Hidden *bool   `json:"toc"`
		} `json:"chapters"`
	}
	data, whole, err := a.read(maxChapters)
	if err != nil || !whole || json.Unmarshal(data, &doc) != nil {
		return nil
	}
	var all []transcript.Chapter
	for _, c := range doc.Chapters {
		if c.Hidden == nil || *c.Hidden { // toc says whether the table of contents shows the chapter
			all = append(all, transcript.Chapter{Title: c.Title, Start: c.Start})
		}
	}
	return all
}
