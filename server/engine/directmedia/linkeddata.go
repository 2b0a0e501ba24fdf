package directmedia

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// linked is a recording in the structured data (JSON-LD, schema.org) of a page.
type linked struct {
	sound, title, show, author string
	duration                   float64 // seconds
	published                  time.Time
}

// about describes the recording; the page's own description replaces missing members.
func (l linked) about(page transcript.Metadata) transcript.Metadata {
	return transcript.Metadata{
		Title: cmp.Or(l.title, page.Title), Channel: cmp.Or(l.show, page.Channel), CreatorName: l.author,
		Duration: l.duration, PublishedAt: l.published,
	}
}

// maxNesting is how deep structured data is searched.
const maxNesting = 16

// linkedData returns the recordings in a block of structured data. If a block is not JSON,
// it has none: many pages contain broken blocks.
func linkedData(block []byte, resolve func(string) string) []linked {
	var data any
	if json.Unmarshal(block, &data) != nil {
		return nil
	}
	var all []linked
	collect(data, linked{}, maxNesting, resolve, &all)
	return all
}

// collect searches data for recordings. around is the surrounding object.
func collect(data any, around linked, depth int, resolve func(string) string, all *[]linked) {
	if depth == 0 || len(*all) == maxFound {
		return
	}
	if list, ok := data.([]any); ok {
		for _, entry := range list {
			collect(entry, around, depth-1, resolve, all)
		}
		return
	}
	object, ok := data.(map[string]any)
	if !ok {
		return
	}
	here := around
	if isA(object, "PodcastEpisode", "RadioEpisode", "Episode", "AudioObject", "VideoObject", "MediaObject", "NewsArticle", "Article") {
		here.describe(object)
	}
	if isA(object, "AudioObject", "VideoObject", "MediaObject") {
		if here.sound = resolve(word(object["contentUrl"])); here.sound != "" {
			*all = append(*all, here)
			return
		}
	}
	for _, member := range []string{"@graph", "mainEntity", "mainEntityOfPage", "audio", "video", "associatedMedia", "encoding"} {
		if inner, ok := object[member]; ok {
			collect(inner, here, depth-1, resolve, all)
		}
	}
}

// describe reads what an object says about its recording. The outermost object with a title is the
// episode.
func (l *linked) describe(object map[string]any) {
	l.title = cmp.Or(l.title, word(object["name"]), word(object["headline"]))
	l.author = cmp.Or(l.author, nameOf(object["author"]))
	l.show = cmp.Or(l.show, nameOf(object["partOfSeries"]))
	l.duration = cmp.Or(l.duration, seconds(cmp.Or(word(object["duration"]), word(object["timeRequired"]))))
	if l.published.IsZero() {
		text := cmp.Or(word(object["datePublished"]), word(object["uploadDate"]))
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
			if at, err := time.Parse(layout, text); err == nil {
				l.published = at
				break
			}
		}
	}
}

// isA reports whether an object has one of the types.
func isA(object map[string]any, types ...string) bool {
	if list, ok := object["@type"].([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return slices.Contains(types, word(t)) })
	}
	return slices.Contains(types, word(object["@type"]))
}

// nameOf is the name of a person, an organization or a series.
func nameOf(value any) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	if object, ok := value.(map[string]any); ok {
		return word(object["name"])
	}
	return word(value)
}

// word returns a value if it is a text, and otherwise "".
func word(value any) string {
	s, _ := value.(string) // other values say nothing
	return s
}

// isoDuration matches an ISO 8601 duration, without years and months.
var isoDuration = regexp.MustCompile(`^P(?:(\d{1,3})D)?T?(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,7}(?:\.\d{1,9})?)S)?$`)

// seconds reads an ISO 8601 duration, or returns 0 if the text is none.
func seconds(text string) (sum float64) {
	found := isoDuration.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	for i, unit := range []float64{24 * 3600, 3600, 60, 1} {
		n, _ := strconv.ParseFloat("0"+found[i+1], 64) // digits only
		sum += n * unit
	}
	return sum
}
