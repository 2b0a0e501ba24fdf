package ytdlp

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// maxPlace is the highest position in a list that is requested.
const maxPlace = 1_000_000

// place returns the number of entries before a window. The program reads those entries too, in
// every list.
func place(w engine.Window) (int, error) {
	if w.After == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(w.After)
	if err != nil || n < 1 || n > maxPlace || strconv.Itoa(n) != w.After {
		return 0, engine.NoSuchPage()
	}
	return n, nil
}

// next returns the token of the window after this part.
func (p part) next(offset int) string {
	if p.last {
		return ""
	}
	return strconv.Itoa(offset + len(p.entries))
}

// Search reads the site's results pages, as engine.Discovery describes. The pages are in the
// site's own order or, nearly, in order of views; the site no longer sorts them by date. A
// channel's own results page lists only the channel's videos, in the site's order.
func (d *Downloader) Search(ctx context.Context, q video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	offset, err := place(at)
	if err != nil {
		return engine.Listing[video.Result]{}, err
	}
	page, err := results(d.base, q)
	if err != nil {
		return engine.Listing[video.Result]{}, err
	}
	p, err := d.readPart(ctx, page, offset, at.Max)
	if err != nil {
		return engine.Listing[video.Result]{}, err
	}
	found := engine.Listing[video.Result]{Next: p.next(offset)}
	for _, e := range p.entries {
		if r, ok := e.result(q.Type); ok {
			found.Items = append(found.Items, r)
		}
	}
	return found, nil
}

// aSearch names a search in the log, which never shows the search words.
const aSearch = "search"

// results returns the results page of a search.
func results(base string, q video.Search) (engine.List, error) {
	words := clip.Line(q.Q, maxName)
	switch {
	case words == "":
		return engine.List{}, engine.CannotAsk("q", "search for a word")
	case q.ChannelID != "" && q.Type != video.TypeVideo:
		return engine.List{}, engine.CannotAsk("type", "in a channel, search for videos")
	case q.Order == video.ByDate, q.ChannelID != "" && q.Order != video.ByRelevance:
		return engine.List{}, engine.CannotAsk("order", "leave it out")
	case q.ChannelID != "":
		return engine.List{
			Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: q.ChannelID,
			URL: base + "/channel/" + url.PathEscape(q.ChannelID) + "/search?query=" + url.QueryEscape(words),
		}, nil
	}
	return engine.List{
		Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: aSearch,
		URL: base + "/results?search_query=" + url.QueryEscape(words) + "&sp=" + url.QueryEscape(filter(q)),
	}, nil
}

// typeNumbers maps types to the numbers of the site's filter.
var typeNumbers = map[video.Type]byte{video.TypeVideo: 1, video.TypeChannel: 2, video.TypePlaylist: 3}

// filter returns the parameter of the site's results pages for everything except the words. It
// is a message in the site's own encoding with the order (field 1; 3 is by views), the type
// (field 2 of field 2), and a request for results instead of a warning about certain words
// (field 30).
func filter(q video.Search) string {
	var message []byte
	if q.Order == video.ByViews {
		message = append(message, 1<<3, 3)
	}
	message = append(message, 2<<3|2, 2, 2<<3, typeNumbers[q.Type], 0xF0, 0x01, 1)
	return base64.StdEncoding.EncodeToString(message)
}

// Channel reads a channel's page, as engine.Discovery describes. The program does not
// report how many videos the channel has uploaded.
func (d *Downloader) Channel(ctx context.Context, l engine.List) (video.Channel, error) {
	page, err := d.channelPage(ctx, l)
	if err != nil {
		return video.Channel{}, err
	}
	c := page.channel()
	c.Description = page.description()
	if c.Handle == nil && strings.HasPrefix(l.ID, "@") {
		c.Handle = &l.ID // the site has found the channel by this handle
	}
	return c, nil
}

// channelPage reads the first page of a channel, which every channel has, without its entries.
// The page has the channel's id.
func (d *Downloader) channelPage(ctx context.Context, l engine.List) (*list, error) {
	page, err := d.readList(ctx, tab(l, "featured"), "0")
	if err != nil {
		return nil, err
	}
	if page.channelID() == nil {
		return nil, upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: a channel without an id"))
	}
	return page, nil
}

// tab returns a tab of a channel's pages.
func tab(l engine.List, name string) engine.List {
	l.URL += "/" + name
	return l
}

// tabs are the tabs in which a channel shows its uploads, newest first.
var tabs = map[video.Kind]string{video.Regular: "videos", video.Shorts: "shorts", video.Live: "streams"}

// Uploads reads the playlist of a channel's uploads, or one of the channel's tabs, as
// engine.Discovery describes. If the channel has no such tab, it has no uploads of that kind.
func (d *Downloader) Uploads(ctx context.Context, l engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	offset, err := place(at)
	if err != nil {
		return engine.Listing[video.Summary]{}, err
	}
	read := d.allUploads
	if kind != video.All {
		read = func(ctx context.Context, l engine.List, offset, n int) (part, error) {
			return d.tabUploads(ctx, l, tabs[kind], offset, n)
		}
	}
	p, err := read(ctx, l, offset, at.Max)
	if err != nil {
		return engine.Listing[video.Summary]{}, err
	}
	found := engine.Listing[video.Summary]{ID: *p.channelID(), Next: p.next(offset)}
	if title := p.channelTitle(); title != nil {
		found.Title = *title
	}
	for _, e := range p.entries {
		if !videoID.MatchString(string(e.ID)) {
			continue
		}
		s := e.summary()
		if e.there() {
			s.ChannelID = p.channelID()
			if s.Channel == nil {
				s.Channel = p.channelTitle()
			}
			if kind != video.All {
				s.IsShort = new(kind == video.Shorts)
			}
		}
		found.Items = append(found.Items, s)
	}
	return found, nil
}

// allUploads reads the playlist of a channel's uploads. The playlist does not exist for a
// channel without uploads: then the channel's page tells whether the channel exists.
func (d *Downloader) allUploads(ctx context.Context, l engine.List, offset, n int) (part, error) {
	var page *list
	id := l.ID
	if !channelID.MatchString(id) {
		var err error
		if page, err = d.channelPage(ctx, l); err != nil {
			return part{}, err
		}
		id = string(page.ChannelID)
	}
	p, err := d.readPart(ctx, uploadsOf(l, id), offset, n)
	switch {
	case err == nil:
		p.ChannelID = text(id)
		return p, nil
	case !errors.Is(err, transcript.Unavailable) || errors.Is(err, engine.ErrNothingFound):
		return part{}, err
	case page == nil:
		if page, err = d.channelPage(ctx, l); err != nil {
			return part{}, err
		}
	}
	return part{list: page, last: true}, nil
}

// tabUploads reads one of a channel's tabs. The site hides empty tabs.
func (d *Downloader) tabUploads(ctx context.Context, l engine.List, name string, offset, n int) (part, error) {
	p, err := d.readPart(ctx, tab(l, name), offset, n)
	switch {
	case noTab.Names(err):
		page, err := d.channelPage(ctx, l)
		return part{list: page, last: true}, err
	case err != nil:
		return part{}, err
	case p.channelID() == nil, offset == 0 && len(p.entries) == 0:
		return part{}, upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: a channel's tab " + name + " without an id, or with nothing in it"))
	}
	return p, nil
}

// Items reads a playlist, as engine.Discovery says.
func (d *Downloader) Items(ctx context.Context, l engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	offset, err := place(at)
	if err != nil {
		return engine.Listing[video.Item]{}, err
	}
	p, err := d.readPart(ctx, l, offset, at.Max)
	if err == nil {
		err = p.troubled() // if the program could not read the list with removed entries, positions are wrong
	}
	if err != nil {
		return engine.Listing[video.Item]{}, err
	}
	found := engine.Listing[video.Item]{ID: l.ID, Title: p.title(), Next: p.next(offset)}
	for i, e := range p.entries {
		if videoID.MatchString(string(e.ID)) {
			found.Items = append(found.Items, video.Item{Position: offset + i, Available: e.there(), Video: e.summary()})
		}
	}
	return found, nil
}
