package transcript

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// Source is what to transcribe. Make a Source with [URL], [ID], [File] or [Media]. The
// zero value is invalid.
type Source struct {
	url        string
	platform   Platform
	externalID string
	name       string
	size       int64
	open       func() (io.ReadCloser, error)
}

// URL returns a source for the content behind a link: a full link, a short link, or a
// bare id of the video site, of 1 to 2048 characters.
func URL(link string) Source { return Source{url: link} }

// ID returns a source for content on a platform, by the platform's own id: 1 to 512
// characters.
func ID(p Platform, externalID string) Source { return Source{platform: p, externalID: externalID} }

// File returns a source that uploads a local file. File looks up the file's size at
// once; the size of a pipe is unknown. The client opens the file once for each attempt,
// and reports a missing file only then.
func File(path string) Source {
	size := int64(-1)
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() { // a missing file is reported when it is opened
		size = st.Size()
	}
	return Media(filepath.Base(path), size, func() (io.ReadCloser, error) { return os.Open(path) })
}

// Media returns a source that uploads from a reader. name is the file's name, and size
// is its length in bytes, or -1 if unknown. The client calls open once for each
// attempt, and closes the reader. Each reader must start at the first byte.
func Media(name string, size int64, open func() (io.ReadCloser, error)) Source {
	return Source{name: name, size: size, open: open}
}

// Link returns the link and true if s was made by [URL] and the link is not empty.
func (s Source) Link() (string, bool) { return s.url, s.url != "" }

// Content returns the platform, the id and true if s was made by [ID].
func (s Source) Content() (Platform, string, bool) {
	return s.platform, s.externalID, s.platform != "" || s.externalID != ""
}

// Upload returns the arguments of [Media] and true if s was made by [File] or Media.
func (s Source) Upload() (name string, size int64, open func() (io.ReadCloser, error), ok bool) {
	return s.name, s.size, s.open, s.open != nil
}

// Request is a request to POST /v1/transcript. The zero value of every member except
// Source means the service's default.
type Request struct {
	Source Source
	// Language is the priority list of language tags, "asr" or "asr-<tag>": see
	// [ParseLanguageList].
	Language []string
	// Format is the form of the answer. Empty means JSON.
	Format Format
	// OmitTimestamp leaves the time prefix out of text output.
	OmitTimestamp bool
	// SendMetadata requests the title, the creator and other metadata.
	SendMetadata bool
	// Wait is how long the service may work on the request before it answers with a
	// job: 0 to 10 s, sent in whole milliseconds. nil means the service's default of 2
	// s. The client sends a shorter time if its own deadline is near.
	Wait *time.Duration
	// KeepMedia is how long the service keeps the recording of an upload, in whole
	// seconds. 0 means that the service does not keep it. The account's plan limits
	// KeepMedia. It must be 0 for a link.
	KeepMedia time.Duration
	// RecordingOf is the ExternalID of an upload in the library. The service adds the file of
	// Source to its text for KeepMedia, which must be above 0, and recognizes nothing. It
	// refuses a file with another content with UPLOAD_INVALID, and an upload without a text
	// with NO_TRANSCRIPT. Empty means that the request wants a text. It must be empty for a
	// link.
	RecordingOf string
	// Listening says how the service listens to the sound if it recognizes the text.
	Listening Listening
}
