package ytdlp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Lists reports that playlists and channels of the video site are read. The program
// reads those of other platforms too, but no table says how they are named.
func (d *Downloader) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

// List reads as engine.ListSource says. The program knows no other way to an entry than
// through those before it: ask for all that are wanted at once.
//
// When ctx ends, the error is its cause; what is wrong with the machine has no code.
func (d *Downloader) List(ctx context.Context, l engine.List, offset, n int) (engine.ListPage, error) {
	if l.Kind == engine.ChannelList {
		var err error
		if l, err = d.uploads(ctx, l); err != nil {
			return engine.ListPage{}, err
		}
	}
	p, err := d.readPart(ctx, l, offset, n)
	if err != nil {
		return engine.ListPage{}, err
	}
	page := engine.ListPage{Title: p.title(), Last: p.last}
	for _, e := range p.entries {
		page.Entries = append(page.Entries, e.entry())
	}
	return page, nil
}

// part is a part of a list.
type part struct {
	*list
	entries []list // no more than were asked for
	last    bool   // there are no entries after these
}

// readPart asks for the entries of a list from the one at offset on, at most n of them.
// Where there are fewer, the list ends with them: else it is an error.
func (d *Downloader) readPart(ctx context.Context, l engine.List, offset, n int) (part, error) {
	found, err := d.readList(ctx, l, strconv.Itoa(offset+1)+":"+strconv.Itoa(offset+n))
	if err != nil {
		return part{}, err
	}
	entries := found.flat(nil, 0)
	p := part{list: found, entries: entries[:min(len(entries), n)], last: len(entries) < n}
	if p.last {
		if err := found.cutShort(offset + len(entries)); err != nil {
			return part{}, err
		}
	}
	return p, nil
}

// list is what the program knows of a list, or of an entry of one: that may be a list
// itself.
type list struct {
	about
	Type       text              `json:"_type"`
	ID         text              `json:"id"`
	URL        text              `json:"url"`
	WebpageURL text              `json:"webpage_url"`
	ReadBy     text              `json:"ie_key"` // the extractor that an entry is for
	Count      tally             `json:"playlist_count"`
	Entries    []json.RawMessage `json:"entries"`

	of   engine.Content
	exit engine.Exit
}

func (l *list) title() string { return clip.Line(string(l.Title), maxTitle) }

func (l *list) isList() bool { return l.Type == "playlist" || l.Type == "multi_video" }

// entry is what the list says of an entry. Its id is that of a content of the video site
// where the site's own extractor is to read it, or where there is nothing else; others
// have ids of their own.
func (l *list) entry() (e engine.ListEntry) {
	for _, link := range []text{l.WebpageURL, l.URL} {
		if link != "" && len(link) <= maxURL && e.URL == "" {
			e.URL = string(link)
		}
	}
	if l.ReadBy == "Youtube" || e.URL == "" {
		e.ID = clip.Line(string(l.ID), maxName)
	}
	return e
}

// maxDepth is how deep lists are looked for in lists: a channel is one of its tabs.
const maxDepth = 3

// flat are the entries of a list and of the lists in it, in their order.
func (l *list) flat(all []list, depth int) []list {
	for _, raw := range l.Entries {
		var entry *list
		if json.Unmarshal(raw, &entry) != nil || entry == nil {
			continue // it names nothing
		}
		if entry.isList() && len(entry.Entries) > 0 && depth < maxDepth {
			all = entry.flat(all, depth+1)
			continue
		}
		entry.Entries = nil
		all = append(all, *entry)
	}
	return all
}

// channelWithUploads is a channel of the video site's, whose uploads are a list of their
// own, with "UU" in the place of "UC": all of them, the newest first. The channel itself
// is shown in tabs.
var channelWithUploads = regexp.MustCompile(`^UC[A-Za-z0-9_-]{22}$`)

// uploads is the list of what a channel has uploaded: where the program says that it is
// one of the video site's, the site's own list, else the channel as it stands.
func (d *Downloader) uploads(ctx context.Context, l engine.List) (engine.List, error) {
	channel, err := d.readList(ctx, l, "0") // none of its entries
	if err != nil || channel.Extractor != "youtube:tab" || !channelWithUploads.MatchString(string(channel.ChannelID)) {
		return l, err
	}
	return uploadsOf(l, string(channel.ChannelID)), nil
}

// uploadsOf is the list of all that a channel has uploaded, at the channel's host.
func uploadsOf(l engine.List, channelID string) engine.List {
	l.Kind, l.ID = engine.PlaylistList, uploadsID(channelID)
	scheme, rest, _ := strings.Cut(l.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	l.URL = scheme + "://" + host + "/playlist?list=" + l.ID
	return l
}

func uploadsID(channelID string) string { return "UU" + strings.TrimPrefix(channelID, "UC") }

// readList asks for some of a list's entries, counted from 1, none of which is looked at
// any closer.
func (d *Downloader) readList(ctx context.Context, l engine.List, items string) (*list, error) {
	if err := checkLink(l.URL); err != nil {
		return nil, err
	}
	of := engine.Content{Platform: l.Platform, ExternalID: calledBy(l), URL: l.URL}
	said := &bounded{max: maxInfo}
	exit, err := d.run(ctx, run{
		content: of,
		args:    []string{"--yes-playlist", "--flat-playlist", "--playlist-items", items, "-J", "--", l.URL},
		command: engine.Command{Stdout: said},
	})
	switch {
	case said.over:
		return nil, upstream("The page says too much of its list.").Because(fmt.Errorf("ytdlp: over %d bytes", maxInfo))
	case err != nil:
		return nil, err
	}
	var found *list // stays nil when the program says null, or nothing
	if json.Unmarshal(said.data, &found) != nil || found == nil {
		return nil, fault(of, exit)
	}
	if !found.isList() {
		return nil, noList.Because(because("a " + clip.Text(string(found.Extractor)) + " of one content"))
	}
	found.of, found.exit = of, exit
	return found, nil
}

// calledBy is what the program calls a list in its complaints.
func calledBy(l engine.List) string {
	u, err := url.Parse(l.URL)
	if err != nil || l.Kind != engine.ChannelList {
		return l.ID
	}
	name := strings.TrimPrefix(u.EscapedPath(), "/")
	for _, kind := range []string{"channel/", "c/", "user/"} {
		name = strings.TrimPrefix(name, kind)
	}
	return name
}

var noList = refusal.Refusal{Code: transcript.Unavailable, Message: "The link leads to a single content and no list.", NotFound: true}

// cutShort returns as an error why a list that has ended after n entries may have more.
// The program leaves it at a warning when it cannot go on, and so do its warnings tell of
// what it has tried again with success.
func (l *list) cutShort(n int) error {
	if err := l.troubled(); err != nil {
		return err
	}
	several := l.Count.n != nil && *l.Count.n > 0
	if l.exit.Code != 0 || len(complaints(l.exit.Stderr).errors) > 0 || n == 0 && several {
		return fault(l.of, l.exit)
	}
	return nil
}

// troubled returns as an error what the egress guard refused, else what is known of the
// program's complaints, but for what it has tried again.
func (l *list) troubled() error {
	if len(l.exit.Refused) > 0 {
		return refusedByGuard(l.of.URL, l.exit)
	}
	said := complaints(l.exit.Stderr)
	again := func(warning string) bool { return strings.Contains(warning, ". Retrying (") }
	if e, ok := known(conditions, l.of, slices.Concat(said.errors, slices.DeleteFunc(said.warnings, again))); ok {
		return e
	}
	return nil
}
