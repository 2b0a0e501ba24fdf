package saved

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// media sends and deletes the recordings that an account keeps of its uploads.
type media struct{ *resource.Shared }

const recordingPattern = "/v1/library/transcripts/upload/{externalId}/media"

func (m media) routes() []edge.Route {
	sent := []edge.Header{edge.HeaderETag, edge.HeaderDisposition, edge.HeaderAcceptRanges}
	get := edge.Route{
		Method: http.MethodGet, Pattern: recordingPattern,
		Operation: "getRecording", Tag: "library",
		Summary: "Read the recording of an upload, or a range of its bytes.",
		Scope:   account.Transcripts, Polls: true, Streams: true, Ranges: true, Handle: m.getRecording,
		Path: recordingPath(new(string)), Query: copyQuery(new(library.RecordingCopy)), Header: rangeHeader(),
		Answers: []edge.Answer{{Status: http.StatusNotModified, Headers: []edge.Header{edge.HeaderETag}}},
		Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
	}
	for _, media := range []string{"audio/*", "video/*", recordings.UnknownMedia} {
		get.Answers = append(get.Answers,
			edge.Answer{Status: http.StatusOK, ContentType: media, Body: "", Headers: sent},
			edge.Answer{Status: http.StatusPartialContent, ContentType: media, Body: "", Headers: append(sent, edge.HeaderContentRange)})
	}
	return []edge.Route{get, {
		Method: http.MethodDelete, Pattern: recordingPattern,
		Operation: "deleteRecording", Tag: "library",
		Summary: "Delete the recording of an upload. Its transcript stays.",
		Scope:   account.Transcripts, Handle: m.deleteRecording,
		Path:    recordingPath(new(string)),
		Answers: []edge.Answer{{Status: http.StatusNoContent}},
		Codes:   []transcript.Code{transcript.NoTranscript},
	}}
}

// recordingPath is the path of the routes about a recording.
func recordingPath(id *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("externalId", id, request.Text(1, resource.MaxExternalID)).Required().About("The `externalId` of the upload's transcript."),
	}}
}

// readUploadID reads the id in a path. If the id is invalid, the route does not exist.
func readUploadID(r *http.Request) (id string, err error) {
	if !recordingPath(&id).ReadPath(r.PathValue) || !resource.UploadID.MatchString(id) {
		return "", edge.ErrUnknownRoute
	}
	return id, nil
}

func copyQuery(which *library.RecordingCopy) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("copy", which, request.Enum(library.RecordingCopies())).
			About("`play`: a small copy that browsers can play, or the original file until the copy is ready."),
	}}
}

// recordingFile is a file that can be sent.
type recordingFile struct {
	key, mediaType, etag string
	size                 int64
}

// fileOf returns the requested file of a recording.
func fileOf(r *db.Recording, which library.RecordingCopy) recordingFile {
	if which == library.PlayingCopy && r.CopyKey != "" {
		return recordingFile{r.CopyKey, recordings.PlayingType, strconv.Quote(r.ExternalID + "-" + strings.TrimPrefix(r.CopyKey, db.PlayingPrefix)), r.CopyBytes}
	}
	return recordingFile{r.MediaKey, r.ContentType, strconv.Quote(r.ExternalID), r.Bytes}
}

// getRecording is GET /v1/library/transcripts/upload/{externalId}/media.
func (m media) getRecording(w http.ResponseWriter, r *http.Request) error {
	var which library.RecordingCopy
	if err := copyQuery(&which).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := readUploadID(r)
	if err != nil {
		return err
	}
	kept, err := m.Pipeline.Library.Recording(r.Context(), edge.Principal(r).Account, id)
	if err != nil {
		return err
	}
	file := fileOf(kept, which)
	unchanged := edge.Unchanged(w, r, file.etag)
	h := w.Header()
	h.Set("Cache-Control", "private, no-store") // a deleted recording must not stay in a cache
	if unchanged {
		return nil
	}
	part, err := rangeOf(r, file)
	if err != nil {
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(file.size, 10))
		return err
	}
	h.Set("Accept-Ranges", "bytes")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'") // of a file that a browser would open as a page
	h.Set("Content-Disposition", disposition(kept, file, which))
	return m.send(w, r, file, part)
}

// disposition names the file. A browser shows the copy for playing, and saves the file as it was sent.
func disposition(r *db.Recording, file recordingFile, which library.RecordingCopy) string {
	named := transcript.Transcript{Platform: transcript.Upload, ExternalID: r.ExternalID}
	if r.Title != "" {
		named.Title = &r.Title
	}
	full := attachment(format.FileName(&named), recordings.MediaExtension(file.mediaType))
	if which == library.PlayingCopy {
		return "inline" + strings.TrimPrefix(full, "attachment")
	}
	return full
}

// send sends a part of a file to its end, or cuts the connection, so that an incomplete answer
// does not look complete.
func (m media) send(w http.ResponseWriter, r *http.Request, file recordingFile, part byteRange) error {
	ctx, done := m.Lifetime.Until(r.Context())
	defer done()
	var opened io.ReadCloser
	if r.Method != http.MethodHead {
		var err error
		if opened, err = m.Pipeline.Library.OpenRecording(ctx, file.key, part.first, part.length); err != nil {
			w.Header().Del("Content-Security-Policy")
			w.Header().Del("Accept-Ranges")
			return err
		}
	}
	h := w.Header()
	h.Set("Content-Type", file.mediaType)
	h.Set("Content-Length", strconv.FormatInt(part.length, 10))
	status := http.StatusOK
	if part.partial {
		h.Set("Content-Range", part.contentRange(file.size))
		status = http.StatusPartialContent
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	if err := m.sendWindows(ctx, w, r, file, part.length, opened); err != nil {
		edge.Abort(r, err)
	}
	return nil
}

// recordingWindow is how many bytes are sent before the service checks again whether the
// account may still have them.
const recordingWindow = 4 << 20

var errNoLonger = errors.New("server: the recording is no longer kept, or the key is no longer good")

// sendWindows sends a part of an open file, window by window. So a revoked key, or the deletion
// of the recording, soon ends the transfer.
func (m media) sendWindows(ctx context.Context, to io.Writer, r *http.Request, file recordingFile, left int64, opened io.ReadCloser) (err error) {
	defer func() { err = errors.Join(err, opened.Close()) }()
	for {
		n, err := io.CopyN(to, opened, min(left, recordingWindow))
		if left -= n; err != nil || left == 0 {
			return err
		}
		if err := m.mayGoOn(ctx, r, file); err != nil {
			return err
		}
	}
}

// mayGoOn returns an error if the caller may not get the rest of a file.
func (m media) mayGoOn(ctx context.Context, r *http.Request, file recordingFile) error {
	if !edge.MayStay(ctx, account.Transcripts) {
		return errNoLonger
	}
	kept, err := m.Pipeline.Library.Recording(ctx, edge.Principal(r).Account, r.PathValue("externalId"))
	if err == nil && kept.MediaKey != file.key && kept.CopyKey != file.key {
		err = errNoLonger
	}
	return err
}

// deleteRecording is DELETE /v1/library/transcripts/upload/{externalId}/media.
func (m media) deleteRecording(w http.ResponseWriter, r *http.Request) error {
	id, err := readUploadID(r)
	if err != nil {
		return err
	}
	if err := m.Pipeline.Library.RemoveRecording(r.Context(), edge.Principal(r).Account, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
