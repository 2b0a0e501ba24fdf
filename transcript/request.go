package transcript

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// Source is what to transcribe. Make one with [URL], [ID], [File] or [Media];
// the zero value is invalid.
type Source struct {
	url        string
	platform   Platform
	externalID string
	name       string
	size       int64
	open       func() (io.ReadCloser, error)
}

// URL is content by its link: a full link, a short link, or a bare id of the
// video site. 1 to 2048 characters.
func URL(link string) Source { return Source{url: link} }

// ID is content by its platform and the platform's own id (1 to 512 characters).
func ID(p Platform, externalID string) Source { return Source{platform: p, externalID: externalID} }

// File is a local file to upload. Its size is looked up at once (that of a pipe
// is unknown); it is opened once per attempt, and that a file is missing shows
// only then.
func File(path string) Source {
	size := int64(-1)
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() { // a missing file is reported when it is opened
		size = st.Size()
	}
	return Media(filepath.Base(path), size, func() (io.ReadCloser, error) { return os.Open(path) })
}

// Media is an upload from anywhere: name is the file's name, size its length in
// bytes (-1 when unknown), open is called once per attempt and must start at
// the first byte each time. The caller of open closes what it returns.
func Media(name string, size int64, open func() (io.ReadCloser, error)) Source {
	return Source{name: name, size: size, open: open}
}

// Link returns the link and true when s was made by [URL] of a link that is not
// empty.
func (s Source) Link() (string, bool) { return s.url, s.url != "" }

// Content returns platform and id and true when s was made by [ID].
func (s Source) Content() (Platform, string, bool) {
	return s.platform, s.externalID, s.platform != "" || s.externalID != ""
}

// Upload returns what to send and true when s was made by [File] or [Media].
func (s Source) Upload() (name string, size int64, open func() (io.ReadCloser, error), ok bool) {
	return s.name, s.size, s.open, s.open != nil
}

// Request is what POST /v1/transcript takes. The zero value of every member
// but Source means the service's default.
type Request struct {
	Source Source
	// Language is the priority list: language tags, "asr" or "asr-<tag>" (see
	// [ParseLanguageList]).
	Language []string
	// Format is JSON when empty.
	Format Format
	// OmitTimestamp leaves the time prefix out of text output.
	OmitTimestamp bool
	// SendMetadata asks for title, creator and the like.
	SendMetadata bool
	// Wait is how long the service holds the answer before it hands out a job: 0
	// to 10 s, sent as whole milliseconds; nil means the service's 2 s. A client sends less
	// where its own time is short.
	Wait *time.Duration
	// KeepMedia is how long the service keeps the recording of an upload, in whole seconds; 0: it
	// keeps none. The account's plan bounds it. A request for a link cannot have it.
	KeepMedia time.Duration
}
