package servertest

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// lists is what the video site answers about its playlists and channels.
type lists struct {
	entries map[string][]string // by the list's id
	err     error
	gate    chan struct{} // nil means open
	page    int           // 0 means as many as requested
	read    int
}

// SetList sets the entries of a playlist or a channel of the video site: links, or ids
// of contents, in order. id is the id of the list: "PL…", "UC…", "@handle". For a list
// that was not set, the error is [transcript.Unavailable].
func (e *Engine) SetList(id string, entries ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lists.entries == nil {
		e.lists.entries = map[string][]string{}
	}
	e.lists.entries[id] = entries
}

// SetListPage limits every later page of a list to n entries; 0 means no limit.
func (e *Engine) SetListPage(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lists.page = n
}

// FailLists makes all later readings of lists fail with err; nil makes them work again.
// Use errors with codes: see [engine.ListSource].
func (e *Engine) FailLists(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lists.err = err
}

// HoldLists blocks every later reading of a list, as [Engine.Hold] does.
func (e *Engine) HoldLists() (release func()) { return e.hold(&e.lists.gate) }

// ListEntries returns how many entries of lists were read.
func (e *Engine) ListEntries() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lists.read
}

// scriptedLists is the Engine in the role of a list source.
type scriptedLists struct{ e *Engine }

func (scriptedLists) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

func (s scriptedLists) List(ctx context.Context, l engine.List, offset, n int) (engine.ListPage, error) {
	s.e.mu.Lock()
	all, exists := s.e.lists.entries[l.ID]
	gate, err, page := s.e.lists.gate, s.e.lists.err, s.e.lists.page
	s.e.mu.Unlock()
	if err := pass(ctx, gate); err != nil {
		return engine.ListPage{}, err
	}
	switch {
	case err != nil:
		return engine.ListPage{}, err
	case !exists:
		return engine.ListPage{}, transcript.Errorf(transcript.Unavailable, "The list does not exist.")
	}
	if page > 0 {
		n = min(n, page)
	}
	offset = min(offset, len(all))
	some := all[offset:min(offset+n, len(all))]
	found := engine.ListPage{Title: "A list", Last: offset+len(some) == len(all)}
	for _, entry := range some {
		found.Entries = append(found.Entries, engine.ListEntry{URL: entry})
	}
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.e.lists.read += len(some)
	return found, nil
}
