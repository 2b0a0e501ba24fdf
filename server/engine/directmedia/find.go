package directmedia

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// recording is the target of a link.
type recording struct {
	by    namer  // of the sound
	sound string // its address; empty means an item without a recording
	first *answer
	about transcript.Metadata
	texts []textFile // the publisher's transcripts
	lang  string     // of the feed, as the publisher gives it
}

// close closes the answer that has begun with the sound.
func (r *recording) close() {
	if r.first != nil {
		r.first.close()
	}
}

// takeFirst returns the answer that has begun with the sound, if there is one and its bytes are
// those of the file.
func (r *recording) takeFirst() *answer {
	a := r.first
	if a == nil || a.Uncompressed {
		return nil
	}
	r.first = nil
	a.late.Stop() // the download has its own limits
	return a
}

// find opens a link and finds its recording. The caller closes the recording.
func (s *Source) find(ctx context.Context, link string) (*recording, error) {
	address, guid, _ := strings.Cut(link, "#")
	guid, err := url.PathUnescape(guid)
	if err != nil {
		return nil, broken(caller, "The part of the link after # cannot be read.").Because(errors.New("directmedia: a bad fragment"))
	}
	a, err := s.openDocument(ctx, caller, address)
	if err != nil {
		return nil, err
	}
	rec, err := s.findIn(ctx, a, guid)
	if rec == nil || rec.first != a {
		a.close()
	}
	return rec, err
}

// findIn finds the recording of an answer: the answer itself, or a recording that it names.
func (s *Source) findIn(ctx context.Context, a *answer, guid string) (*recording, error) {
	head, err := a.head()
	if err != nil {
		return nil, unreachable(a.Request.Context(), caller, a.at(), err)
	}
	switch kind := kindOf(head); kind {
	case media:
		rec := &recording{by: caller, sound: originalOf(a), first: a}
		rec.about.Title = titleOf(a.at())
		return rec, nil
	case feed:
		return s.findItem(ctx, a, guid)
	case page:
		return s.findOnPage(ctx, a)
	default:
		return nil, noMedia(kind, caller)
	}
}

// originalOf returns the address before all redirects, because the next request may have to be
// redirected to another place.
func originalOf(a *answer) string {
	req := a.Request
	for req.Response != nil {
		req = req.Response.Request
	}
	return req.URL.String()
}

// titleOf returns the name of a file, without its extension.
func titleOf(at *url.URL) string {
	name := path.Base(at.Path)
	if name == "." || name == "/" {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name)))
}
