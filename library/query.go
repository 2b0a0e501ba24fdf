package library

import "github.com/transcriptkit/transcriptkit/transcript"

// View is which rows are listed.
type View string

// The views.
const (
	All     View = "all"     // texts, batches, and work on its way
	Starred View = "starred" // what has a star
	History View = "history" // everything, also what has failed
)

// Views are all of them.
func Views() []View { return []View{All, Starred, History} }

// Sort is the order of a list.
type Sort string

// The orders.
const (
	Recent Sort = "recent" // newest first
	Oldest Sort = "oldest"
	Title  Sort = "title" // ignores case and accents; rows without a title come last
)

// Sorts are all of them.
func Sorts() []Sort { return []Sort{Recent, Oldest, Title} }

// PlatformFilter is where what is listed comes from: a platform, or Batches.
type PlatformFilter string

// Batches lists batches and nothing else; a platform lists none.
const Batches PlatformFilter = "batch"

// PlatformFilters are all of them.
func PlatformFilters() []PlatformFilter {
	var all []PlatformFilter
	for _, p := range transcript.Platforms() {
		all = append(all, PlatformFilter(p))
	}
	return append(all, Batches)
}

// Query says which rows of a library are listed. The zero value is the first page of
// everything that has not failed, newest first.
type Query struct {
	View     View           // empty: All
	Q        string         // text in titles and channels, at most 200 characters; the search ignores case and accents
	Platform PlatformFilter // a platform, or Batches; empty: everything
	// ExternalID is the platform's own id of a content, at most 512 characters: its rows in
	// all languages; empty: every content.
	ExternalID string
	Lang       string // an exact tag, at most 20 characters; empty: every one
	Sort       Sort   // empty: Recent
	Page       int    // from 1; 0: the first
	PageSize   int    // 1 to 100; 0: 24
}

// Page is a page of a list.
type Page struct {
	Transcripts []Item `json:"transcripts"`                        // the rows of the page
	Total       int    `json:"total" minimum:"0"`                  // how many rows there are on all pages
	Page        int    `json:"page" minimum:"1"`                   // the number of the page, from 1
	PageSize    int    `json:"pageSize" minimum:"1" maximum:"100"` // rows that a page has at most
	// Langs are the languages of all texts in the library, sorted. Filters do not
	// change Langs.
	Langs []string `json:"langs"`
}
