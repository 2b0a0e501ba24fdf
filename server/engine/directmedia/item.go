package directmedia

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	podcast "github.com/transcriptkit/transcriptkit/internal/feed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// errNoFeed is wrapped by the error of a document that is proved not to be a feed.
var errNoFeed = errors.New("directmedia: not a feed")

// readFeed reads the feed of an answer.
func (a *answer) readFeed(by namer) (*podcast.Feed, error) {
	f, err := podcast.Parse(a.body, a.at(), a.Header.Get("Content-Type"))
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, podcast.ErrTooLarge):
		return nil, broken(by, "The feed is too large.").Because(err)
	case errors.Is(err, podcast.ErrNotFeed), errors.Is(err, podcast.ErrDocType):
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed cannot be read.").Because(errors.Join(errNoFeed, err))
	}
	return nil, unreachable(a.Request.Context(), by, a.at(), err)
}

// fetchFeed reads the feed that a page names.
func (s *Source) fetchFeed(ctx context.Context, link string) (*podcast.Feed, error) {
	a, err := s.openDocument(ctx, publisher, link)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return a.readFeed(publisher)
}

// findItem finds the item of a feed that a guid names.
func (s *Source) findItem(ctx context.Context, a *answer, guid string) (*recording, error) {
	f, err := a.readFeed(caller)
	if err != nil {
		return nil, err
	}
	if guid == "" {
		const cure = "Add # and the guid of an item to the address, send the link to a recording, or follow the feed."
		e := transcript.Errorf(transcript.Unavailable, "The link leads to a feed of %d items. %s", len(f.Items), cure)
		e.Cure = cure
		return nil, e
	}
	n := slices.IndexFunc(f.Items, func(i podcast.Item) bool { return i.GUID == guid })
	if n < 0 {
		n = slices.IndexFunc(f.Items, func(i podcast.Item) bool { return i.Link == guid || i.Enclosure.URL == guid })
	}
	if n < 0 {
		return nil, transcript.Errorf(transcript.Unavailable, "The feed has no item %q.", clip.Text(guid)).Because(errGone)
	}
	return s.recordingOf(ctx, f, &f.Items[n]), nil
}

// recordingOf is the recording of an item.
func (s *Source) recordingOf(ctx context.Context, f *podcast.Feed, item *podcast.Item) *recording {
	rec := &recording{by: publisher, sound: item.Enclosure.URL, lang: f.Language}
	rec.about = transcript.Metadata{
		Title: item.Title, Channel: f.Title, CreatorName: cmp.Or(item.Author, f.Author), CreatorURL: f.Link,
		Duration: item.Duration.Seconds(), PublishedAt: item.Published, Chapters: s.chapters(ctx, item.Chapters),
	}
	for _, t := range item.Transcripts {
		rec.texts = append(rec.texts, textFile{at: t.URL, says: t.Type, lang: t.Language})
	}
	return rec
}

// itemOf finds the item of a feed that a page describes: the item links to the page, or
// its recording is on the page.
func itemOf(f *podcast.Feed, pages, sounds []string) *podcast.Item {
	for i := range f.Items {
		if link := f.Items[i].Link; link != "" && slices.Contains(pages, plain(link)) {
			return &f.Items[i]
		}
	}
	for i := range f.Items {
		at := f.Items[i].Enclosure.URL
		if at != "" && slices.ContainsFunc(sounds, func(sound string) bool { return file(sound) == file(at) }) {
			return &f.Items[i]
		}
	}
	return nil
}

// plain returns a link without the parts in which two links to one page may differ.
func plain(link string) string {
	link, _, _ = strings.Cut(link, "#")
	_, link, _ = strings.Cut(link, "://")
	link, query, _ := strings.Cut(link, "?")
	link = strings.TrimSuffix(strings.TrimPrefix(link, "www."), "/")
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && !strings.HasPrefix(pair, "utm_") {
			link += "?" + pair
		}
	}
	return link
}

// file returns the address of a file without its query, in which hosts count listeners.
func file(link string) string {
	link, _, _ = strings.Cut(link, "?")
	_, link, _ = strings.Cut(link, "://")
	return link
}
