package library

import "github.com/transcriptkit/transcriptkit/transcript"

// View selects which rows are listed.
type View string

// The views.
const (
	All     View = "all"     // texts, batches and running work
	Starred View = "starred" // starred rows
	History View = "history" // everything, including failed work
)

// Views returns all views.
func Views() []View { return []View{All, Starred, History} }

// Sort is the order of a list.
type Sort string

// The orders.
const (
	Recent Sort = "recent" // newest first
	Oldest Sort = "oldest"
	Title  Sort = "title" // ignores case and accents; rows without a title come last
)

// Sorts returns all orders.
func Sorts() []Sort { return []Sort{Recent, Oldest, Title} }

// PlatformFilter limits a list to a platform, or to batches.
type PlatformFilter string

// Batches limits a list to batches. A list of a platform contains no batches.
const Batches PlatformFilter = "batch"

// PlatformFilters returns all filters.
func PlatformFilters() []PlatformFilter {
	var all []PlatformFilter
	for _, p := range transcript.Platforms() {
		all = append(all, PlatformFilter(p))
	}
	return append(all, Batches)
}

// Query selects and sorts rows of a library. The zero value selects the first page of
// everything that has not failed, newest first.
type Query struct {
	View     View           // empty means All
	Q        string         // text in titles and channels, at most 200 characters; the search ignores case and accents
	Platform PlatformFilter // a platform, or Batches; empty means everything
	// ExternalID limits the list to the rows of one content, in all languages, by the
	// platform's own id of at most 512 characters. Empty means every content.
	ExternalID string
	Lang       string // an exact tag, at most 20 characters; empty means every language
	// Tags limit the list to the contents that have all of them: at most 20. The search
	// ignores case.
	Tags     []string
	Sort     Sort // empty means Recent
	Page     int  // from 1; 0 means the first
	PageSize int  // 1 to 100; 0 means 24
}

// Page is a page of a list.
type Page struct {
	Transcripts []Item `json:"transcripts"`                        // the rows of the page
	Total       int    `json:"total" minimum:"0"`                  // the number of rows on all pages
	Page        int    `json:"page" minimum:"1"`                   // the number of the page, from 1
	PageSize    int    `json:"pageSize" minimum:"1" maximum:"100"` // the largest number of rows on a page
	// Langs are the languages of all texts in the library, sorted, whatever the filters
	// are.
	Langs []string `json:"langs"`
}
