package engine

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ListSource lists what a playlist or a channel holds. Its errors carry codes, as those
// of a [CaptionSource], with the same effect: UNAVAILABLE for a list that is private or
// does not exist, and never an empty or a shorter list for one that could not be read.
// Safe for concurrent use.
type ListSource interface {
	// Lists reports whether lists of the platform can be read.
	Lists(p transcript.Platform) bool
	// List returns the entries from the one at offset on, counted from 0, at most n of
	// them and at least one if there is any, in the list's own order; a channel's are
	// its uploads, newest first. It asks the platform for no more of them than needed.
	// Entries that have been removed or are private stay in the list.
	List(ctx context.Context, l List, offset, n int) (ListPage, error)
}

// List names a playlist or a channel.
type List struct {
	Platform transcript.Platform
	Kind     ListKind
	ID       string // the platform's own; of a channel also its name, as "@handle"
	URL      string // the canonical link, http or https
}

// ListKind is the kind of a list.
type ListKind string

// The kinds.
const (
	PlaylistList ListKind = "playlist"
	ChannelList  ListKind = "channel"
)

// ListPage is a part of a list.
type ListPage struct {
	Title   string // of the list; empty: not known
	Entries []ListEntry
	Last    bool // there is no entry after these
}

// ListEntry is what a list says of one of its contents, which need not be true: the
// platform table judges it. One of the two may be empty.
type ListEntry struct {
	ID  string // the list's platform's own id of it
	URL string // a link to it
}
