package library

import "encoding/json"

// Label changes what the account calls a content of its library. All texts of the content have
// the same title and the same tags, in all languages.
type Label struct {
	// Title is the account's own title, of 1 to 500 characters. If it is empty, the
	// content gets back the title that the service knows; nil keeps the title.
	Title *string
	// Tags replace the tags: at most 20, of 1 to 50 characters each. Tags that differ only
	// in case are the same. nil keeps the tags.
	Tags []string
}

// MarshalJSON writes the members that change. An empty title is null.
func (l Label) MarshalJSON() ([]byte, error) {
	changes := map[string]any{}
	if l.Title != nil {
		if changes["title"] = *l.Title; *l.Title == "" {
			changes["title"] = nil
		}
	}
	if l.Tags != nil {
		changes["tags"] = l.Tags
	}
	return json.Marshal(changes)
}
