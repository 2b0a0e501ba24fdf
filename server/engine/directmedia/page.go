package directmedia

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	maxPage  = 4 << 20 // bytes of a page that are read
	maxFeeds = 4       // feeds of a page that are read
	maxFound = 100     // links of one kind that are kept of a page
)

// pageFound is what a page says about its recording.
type pageFound struct {
	base   *url.URL
	names  []string   // addresses of the page itself
	feeds  []string   // of the site
	data   []linked   // recordings in structured data
	graph  []string   // recordings in the properties of Open Graph
	player []string   // recordings in players
	texts  []textFile // tracks of the players

	title, heading, site string
}

// findOnPage finds the recording of a page: first as an item of the site's feed, then on the
// page.
func (s *Source) findOnPage(ctx context.Context, a *answer) (*recording, error) {
	found, err := a.readPage()
	if err != nil {
		return nil, err
	}
	rec, err := s.findInFeeds(ctx, found)
	if rec != nil || err != nil {
		return rec, err
	}
	return found.recording()
}

// findInFeeds finds the page among the items of the site's feeds, or nil if it is not there.
// It skips a feed that is proved to be missing. It returns other faults, because the feed may
// name a transcript.
func (s *Source) findInFeeds(ctx context.Context, found *pageFound) (*recording, error) {
	for _, link := range found.feeds[:min(len(found.feeds), maxFeeds)] {
		f, err := s.fetchFeed(ctx, link)
		if errors.Is(err, errGone) || errors.Is(err, errNoFeed) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if item := itemOf(f, found.pages(), found.sounds()); item != nil {
			return s.recordingOf(ctx, f, item), nil
		}
	}
	return nil, nil
}

// recording is the recording on the page. The error says that there is none, or that the page does
// not show which recording it is about.
func (p *pageFound) recording() (*recording, error) {
	rec := &recording{by: publisher, about: transcript.Metadata{Title: cmp.Or(p.heading, p.title), Channel: p.site}}
	one := func(all []string) bool {
		if len(all) > 0 {
			rec.sound = all[0]
		}
		return len(all) == 1
	}
	var data []string
	for _, l := range p.data {
		data = append(data, l.sound)
	}
	switch {
	case one(distinct(data)):
		rec.about = p.data[0].about(rec.about)
	case rec.sound == "" && one(distinct(p.graph)):
	case rec.sound == "" && one(distinct(p.player)):
	case rec.sound == "":
		return nil, transcript.Errorf(transcript.Unavailable, "The page names no recording. Send the link to the recording itself, or upload it.").
			Because(errors.New("directmedia: no recording on the page"))
	default:
		return nil, transcript.Errorf(transcript.Unavailable, "The page names more than one recording. Send the link to one of them.").
			Because(errors.New("directmedia: several recordings on the page"))
	}
	if len(distinct(p.player)) <= 1 { // the tracks belong to the recording
		rec.texts = p.texts
	}
	return rec, nil
}

// pages are the addresses of the page, in the form of plain.
func (p *pageFound) pages() (all []string) {
	for _, name := range p.names {
		all = append(all, plain(name))
	}
	return all
}

// sounds returns the recordings that the page names, if the page is certainly about one
// of them.
func (p *pageFound) sounds() []string {
	all := slices.Concat(p.graph, p.player)
	for _, l := range p.data {
		all = append(all, l.sound)
	}
	if all = distinct(all); len(all) == 1 {
		return all
	}
	return distinct(p.graph)
}

// distinct returns the addresses without repeats. Repeats may differ in the scheme.
func distinct(all []string) (some []string) {
	for _, link := range all {
		_, bare, _ := strings.Cut(link, "://")
		if !slices.ContainsFunc(some, func(s string) bool { return strings.HasSuffix(s, "://"+bare) }) {
			some = append(some, link)
		}
	}
	return some
}

// readPage reads the tags of a page.
func (a *answer) readPage() (*pageFound, error) {
	p := &pageFound{base: a.at(), names: []string{a.at().String(), originalOf(a)}}
	body, err := charset.NewReader(io.LimitReader(a.body, maxPage), a.Header.Get("Content-Type"))
	if err != nil && err != io.EOF {
		return nil, unreachable(a.Request.Context(), caller, a.at(), err)
	}
	tags := html.NewTokenizer(body)
	tags.SetMaxBuf(1 << 20)
	for {
		switch tags.Next() {
		case html.ErrorToken:
			if err := tags.Err(); err != io.EOF && !errors.Is(err, html.ErrBufferExceeded) {
				return nil, unreachable(a.Request.Context(), caller, a.at(), err)
			}
			return p, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			p.tag(tags)
		}
	}
}

// tag reads a tag, and the text after it if the text is needed.
func (p *pageFound) tag(tags *html.Tokenizer) {
	t := tags.Token()
	at := map[string]string{}
	for _, a := range t.Attr {
		at[a.Key] = strings.TrimSpace(a.Val)
	}
	switch t.Data {
	case "base":
		if base := p.link(at["href"]); base != "" {
			p.base, _ = url.Parse(base) // link has parsed it
		}
	case "link":
		p.linkTag(at)
	case "meta":
		p.metaTag(cmp.Or(at["property"], at["name"]), at["content"])
	case "audio", "video", "source":
		p.player = p.add(p.player, at["src"])
	case "track":
		if kind := at["kind"]; (kind == "" || kind == "subtitles" || kind == "captions") && len(p.texts) < maxFound && p.link(at["src"]) != "" {
			p.texts = append(p.texts, textFile{at: p.link(at["src"]), lang: at["srclang"]})
		}
	case "title":
		if tags.Next() == html.TextToken && p.title == "" {
			p.title = strings.TrimSpace(string(tags.Text()))
		}
	case "script":
		if strings.EqualFold(at["type"], "application/ld+json") && tags.Next() == html.TextToken && len(p.data) < maxFound {
			p.data = append(p.data, linkedData(tags.Raw(), p.link)...)
		}
	}
}

func (p *pageFound) linkTag(at map[string]string) {
	switch rel := strings.Fields(strings.ToLower(at["rel"])); {
	case slices.Contains(rel, "canonical"):
		p.names = p.add(p.names, at["href"])
	case slices.Contains(rel, "alternate"):
		switch kind, _, _ := strings.Cut(strings.ToLower(at["type"]), ";"); strings.TrimSpace(kind) {
		case "application/rss+xml", "application/atom+xml", "application/feed+json":
			p.feeds = p.add(p.feeds, at["href"])
		}
	}
}

func (p *pageFound) metaTag(name, content string) {
	switch strings.ToLower(name) {
	case "og:audio", "og:audio:url", "og:audio:secure_url":
		p.graph = p.add(p.graph, content)
	case "og:url":
		p.names = p.add(p.names, content)
	case "og:title":
		p.heading = content
	case "og:site_name":
		p.site = content
	}
}

// add adds a link to a list.
func (p *pageFound) add(list []string, ref string) []string {
	if link := p.link(ref); link != "" && len(list) < maxFound {
		return append(list, link)
	}
	return list
}

// link resolves a link of the page; empty means that it is not a web link.
func (p *pageFound) link(ref string) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return ""
	}
	u = p.base.ResolveReference(u)
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	u.Fragment = ""
	return u.String()
}
