package ytdlp

import (
	"context"
	"encoding/json"
	"fmt"
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
	found, err := d.readList(ctx, l, strconv.Itoa(offset+1)+":"+strconv.Itoa(offset+n))
	if err != nil {
		return engine.ListPage{}, err
	}
	entries := found.flat(nil, 0)
	page := engine.ListPage{Title: clip.Line(string(found.Title), maxTitle), Last: len(entries) < n}
	if page.Last {
		if err := found.cutShort(offset + len(entries)); err != nil {
			return engine.ListPage{}, err
		}
	}
	for _, e := range entries[:min(len(entries), n)] {
		page.Entries = append(page.Entries, e.entry())
	}
	return page, nil
}

// list is what the program knows of a list, or of an entry of one: that may be a list
// itself.
type list struct {
	Type       text              `json:"_type"`
	ID         text              `json:"id"`
	URL        text              `json:"url"`
	WebpageURL text              `json:"webpage_url"`
	Title      text              `json:"title"`
	Extractor  text              `json:"extractor"`
	ReadBy     text              `json:"ie_key"` // the extractor that an entry is for
	ChannelID  text              `json:"channel_id"`
	Count      number            `json:"playlist_count"`
	Entries    []json.RawMessage `json:"entries"`

	of   engine.Content
	exit engine.Exit
}

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
	l.ID = "UU" + strings.TrimPrefix(string(channel.ChannelID), "UC")
	scheme, rest, _ := strings.Cut(l.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	l.URL = scheme + "://" + host + "/playlist?list=" + l.ID
	return l, nil
}

// readList asks for some of a list's entries, counted from 1, none of which is looked at
// any closer.
func (d *Downloader) readList(ctx context.Context, l engine.List, items string) (*list, error) {
	if err := checkLink(l.URL); err != nil {
		return nil, err
	}
	of := engine.Content{Platform: l.Platform, ExternalID: l.ID, URL: l.URL}
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

var noList = refusal.Refusal{Code: transcript.Unavailable, Message: "The link leads to a single content and no list.", NotFound: true}

// cutShort returns as an error why a list that has ended after n entries may have more.
// The program leaves it at a warning when it cannot go on, and so do its warnings tell of
// what it has tried again with success.
func (l *list) cutShort(n int) error {
	said := complaints(l.exit.Stderr)
	again := func(warning string) bool { return strings.Contains(warning, ". Retrying (") }
	if e, ok := known(conditions, l.of, slices.Concat(said.errors, slices.DeleteFunc(said.warnings, again))); ok {
		return e
	}
	if len(l.exit.Refused) > 0 || l.exit.Code != 0 || len(said.errors) > 0 || n == 0 && l.Count > 0 {
		return fault(l.of, l.exit)
	}
	return nil
}
