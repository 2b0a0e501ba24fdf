package client

import (
	"errors"
	"iter"
	"net/url"
	"strconv"
)

// Page is a page of a list.
type Page[T any] struct {
	Items []T
	// Next is the token of the next page; empty on the last page.
	Next string
}

// PageParams select a page of a list. The zero value selects the first page.
type PageParams struct {
	// Size is the largest number of entries in the page. 0 means the service's default.
	// Each method states the default and the maximum.
	Size int
	// Token is the Next of the previous page of the same list with the same filters.
	// Empty means the first page.
	Token string
}

func (p PageParams) query() url.Values {
	q := url.Values{}
	if p.Size != 0 {
		q.Set("maxResults", strconv.Itoa(p.Size))
	}
	if p.Token != "" {
		q.Set("pageToken", p.Token)
	}
	return q
}

var errSamePage = errors.New("client: the list does not end: a page names an earlier page as the next")

// all is the entries of a list from a page on, each page asked for when the one
// before has been used up. An error is yielded once, and ends the sequence.
func all[T any](from PageParams, read func(PageParams) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		at, known := from, map[string]bool{from.Token: true}
		for {
			page, err := read(at)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			switch {
			case page.Next == "":
				return
			case known[page.Next]:
				yield(none, errSamePage)
				return
			}
			at.Token, known[page.Next] = page.Next, true
		}
	}
}
