package directmedia

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// kind is the kind of a file according to its content.
type kind int

const (
	media kind = iota // audio or video, as far as the beginning shows
	page
	feed
	text // of any other kind
	stream
	picture
	archive
	document
	empty
)

// kindOf detects the kind of a file from its beginning. Unknown bytes may be media: the
// tool that reads media files decides.
func kindOf(head []byte) kind {
	body := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case len(head) == 0:
		return empty
	case bytes.HasPrefix(body, []byte("#EXTM3U")), bytes.HasPrefix(body, []byte("[playlist]")):
		return stream
	case bytes.HasPrefix(body, []byte("<")):
		return markupOf(body)
	case bytes.HasPrefix(body, []byte("7z\xBC\xAF\x27\x1C")):
		return archive
	}
	if bytes.HasPrefix(body, []byte("{")) && bytes.Contains(body, []byte("://jsonfeed.org/version/")) {
		return feed
	}
	what, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case what == "text/html":
		return page
	case strings.HasPrefix(what, "text/"):
		return text
	case strings.HasPrefix(what, "image/"):
		return picture
	case slices.Contains([]string{"application/zip", "application/x-gzip", "application/x-rar-compressed"}, what):
		return archive
	case what == "application/pdf", what == "application/postscript", strings.HasPrefix(what, "font/"):
		return document
	}
	return media
}

// markupOf detects the kind of a markup file by its root element.
func markupOf(body []byte) kind {
	switch root(body) {
	case "rss", "feed", "rdf:rdf":
		return feed
	case "tt", "transcript", "timedtext":
		return text
	case "mpd", "smil", "asx":
		return stream
	case "svg":
		return picture
	}
	return page // a browser shows anything else as a page
}

// root is the name of the first tag, in lower case.
func root(body []byte) string {
	for len(body) > 0 {
		end := ">"
		switch {
		case bytes.HasPrefix(body, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(body, []byte("<!")), bytes.HasPrefix(body, []byte("<?")):
		default:
			name, _, _ := bytes.Cut(body[1:], []byte(">"))
			name = bytes.TrimSuffix(name, []byte("/"))
			if i := bytes.IndexAny(name, " \t\r\n"); i >= 0 {
				name = name[:i]
			}
			return strings.ToLower(string(name))
		}
		_, body, _ = bytes.Cut(body, []byte(end))
		body = body[max(0, bytes.IndexByte(body, '<')):]
	}
	return ""
}

// noMedia returns the error of a link that leads to a file without sound, or nil if the file
// may have sound. A page instead of a recording may be a page that blocks the service, so this
// proves nothing about the recording.
func noMedia(k kind, by namer) *transcript.Error {
	switch k {
	case media:
		return nil
	case page:
		return transcript.Errorf(transcript.UpstreamFailed, "The host answers with a web page instead of the recording.")
	case empty:
		return transcript.Errorf(transcript.UpstreamFailed, "The host answers with an empty file.")
	case stream:
		return transcript.Errorf(transcript.Unavailable, "The link leads to the list of a stream. Send a link to a media file.")
	case picture:
		return broken(by, "The link leads to a picture instead of a recording.")
	case archive:
		return broken(by, "The link leads to an archive instead of a recording. Send a link to a media file.")
	case feed:
		return broken(by, "The link leads to a feed instead of a recording.")
	}
	return broken(by, "The link leads to a text instead of a recording.")
}
