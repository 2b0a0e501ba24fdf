package engine

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ListSource lists the entries of a playlist or a channel. Its errors carry codes, like those
// of a [CaptionSource], with the same effect. A list that is private or does not exist is
// UNAVAILABLE. A list that could not be read is an error, never an empty or shorter list. It
// is safe for concurrent use.
type ListSource interface {
	// Lists reports whether the source can read lists of the platform.
	Lists(p transcript.Platform) bool
	// List returns up to n entries from offset on, counted from 0, and at least one if there is
	// any. Entries are in the list's own order; the entries of a channel are its uploads,
	// newest first. List asks the platform for no more entries than needed. Removed and private
	// entries stay in the list.
	List(ctx context.Context, l List, offset, n int) (ListPage, error)
}

// List names a playlist or a channel.
type List struct {
	Platform transcript.Platform
	Kind     ListKind
	ID       string // the platform's own; a channel's may be its name, as "@handle"
	URL      string // the canonical link, http or https
}

// ListKind says whether a list is a playlist or a channel.
type ListKind string

// The kinds.
const (
	PlaylistList ListKind = "playlist"
	ChannelList  ListKind = "channel"
)

// ListPage is a part of a list.
type ListPage struct {
	Title   string // of the list; empty if not known
	Entries []ListEntry
	Last    bool // whether these are the last entries
}

// ListEntry is an entry of a list. The service does not trust it: it checks the entry
// by the table of platforms. One of the two fields may be empty.
type ListEntry struct {
	ID  string // the id of the entry on the list's platform
	URL string // a link to it
}
