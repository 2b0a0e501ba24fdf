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

// Lists returns true only for the video site. The program reads lists of other
// platforms too, but the platform table does not know their ids.
func (d *Downloader) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

// List reads entries as engine.ListSource describes. The program can read an entry only
// after all entries before it, so request all entries that you need at once.
//
// When ctx ends, the error is context.Cause(ctx). Faults of this machine have no code.
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
	entries []list // no more than requested
	last    bool   // there are no entries after these
}

// readPart asks for at most n entries of a list, from offset on. If it gets fewer, either the
// list ends with them or the result is an error.
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

// list is the program's description of a list, or of an entry of a list. An entry may be a list
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

// entry returns the id and the link of an entry. The entry has an id of the video site if the
// site's own extractor is to read it, or if there is no link. Other entries have ids of other
// platforms.
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

// maxDepth limits the nesting of lists: a channel contains its tabs.
const maxDepth = 3

// flat appends the entries of a list and of its nested lists, in order.
func (l *list) flat(all []list, depth int) []list {
	for _, raw := range l.Entries {
		var entry *list
		if json.Unmarshal(raw, &entry) != nil || entry == nil {
			continue // not an entry
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

// channelWithUploads matches the id of a channel of the video site. The channel's uploads are a
// list of their own, whose id begins with "UU" instead of "UC": all uploads, newest first. The
// channel itself is shown in tabs.
var channelWithUploads = regexp.MustCompile(`^UC[A-Za-z0-9_-]{22}$`)

// uploads returns the list of a channel's uploads. For a channel of the video site it is the
// site's own list, otherwise the channel itself.
func (d *Downloader) uploads(ctx context.Context, l engine.List) (engine.List, error) {
	channel, err := d.readList(ctx, l, "0") // none of its entries
	if err != nil || channel.Extractor != "youtube:tab" || !channelWithUploads.MatchString(string(channel.ChannelID)) {
		return l, err
	}
	return uploadsOf(l, string(channel.ChannelID)), nil
}

// uploadsOf returns the list of all uploads of a channel, on the channel's host.
func uploadsOf(l engine.List, channelID string) engine.List {
	l.Kind, l.ID = engine.PlaylistList, uploadsID(channelID)
	scheme, rest, _ := strings.Cut(l.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	l.URL = scheme + "://" + host + "/playlist?list=" + l.ID
	return l
}

func uploadsID(channelID string) string { return "UU" + strings.TrimPrefix(channelID, "UC") }

// readList asks for some of a list's entries, counted from 1, without their details. If the
// platform refuses the plain way, the ways of [Access] follow, without a login.
func (d *Downloader) readList(ctx context.Context, l engine.List, items string) (*list, error) {
	if err := checkLink(l.URL); err != nil {
		return nil, err
	}
	of := engine.Content{Platform: l.Platform, ExternalID: calledBy(l), URL: l.URL}
	found, err := d.program.readListOnce(ctx, of, items)
	if err == nil {
		return found, nil
	}
	more, ok := afterRefusal(ctx, d, of, err, func(d *Downloader) (*list, error) { return d.program.readListOnce(ctx, of, items) })
	if ok {
		return more, nil
	}
	return nil, err
}

// readListOnce reads a list in one way.
func (p *program) readListOnce(ctx context.Context, of engine.Content, items string) (*list, error) {
	said := &bounded{max: maxInfo}
	exit, err := p.run(ctx, run{
		content: of,
		args:    []string{"--yes-playlist", "--flat-playlist", "--playlist-items", items, "-J", "--", of.URL},
		command: engine.Command{Stdout: said},
	})
	switch {
	case said.over:
		return nil, upstream("The page says too much of its list.").Because(fmt.Errorf("ytdlp: over %d bytes", maxInfo))
	case err != nil:
		return nil, err
	}
	var found *list // stays nil if the program writes null, or nothing
	if json.Unmarshal(said.data, &found) != nil || found == nil {
		return nil, fault(of, exit)
	}
	if !found.isList() {
		return nil, noList.Because(because("a " + clip.Text(string(found.Extractor)) + " of one content"))
	}
	found.of, found.exit = of, exit
	return found, nil
}

// calledBy returns the name of a list in the program's complaints.
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

// cutShort returns an error if a list that ended after n entries may have more. The program
// only warns if it cannot continue. It also warns about attempts that later succeeded.
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

// troubled returns the egress guard's refusal as an error, otherwise the meaning of the
// program's complaints. It ignores complaints after which the program tried again.
func (l *list) troubled() error {
	if len(l.exit.Refused) > 0 {
		return refusedByGuard(l.of.URL, l.exit)
	}
	said := complaints(l.exit.Stderr)
	again := func(warning string) bool { return strings.Contains(warning, ". Retrying (") }
	if e, ok := known(conditions, l.of, slices.Concat(said.errors, slices.DeleteFunc(said.warnings, again))); ok {
		return withHost(e, l.exit)
	}
	return nil
}
