package saved

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func (l *Texts) downloadRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/library/transcripts/{platform}/{externalId}/download",
		Operation: "downloadTranscript", Tag: "library",
		Summary: "Read a saved transcript as a file.",
		Scope:   account.Transcripts, Handle: l.downloadTranscript,
		Path: Path(new(library.Key)), Query: downloadQuery(new(download)),
		Answers: resource.FileAnswers(TranscriptOrPodcast{}, "text/plain", "application/x-subrip", "text/vtt", "text/markdown",
			"text/html", library.DOCX.MediaType()),
		Codes: []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
	}
}

// TranscriptOrPodcast is a transcript when the format is json, and a podcast when it is podcast.
type TranscriptOrPodcast struct{}

// JSONSchemaOneOf lists the two types for the document.
func (TranscriptOrPodcast) JSONSchemaOneOf() []any {
	return []any{transcript.Transcript{}, format.Podcast{}}
}

// download describes the file of a saved transcript.
type download struct {
	key            library.Key
	format         library.DownloadFormat
	omitTimestamps bool // of txt, md, docx and html
	speakers       bool // in txt, srt and lrc; the others have them anyway
}

// downloadQuery is the query of GET /v1/library/transcripts/{platform}/{externalId}/download.
func downloadQuery(d *download) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("format", &d.format, request.Enum(library.DownloadFormats())).Required().About("The form of the file."),
		LanguageOf(&d.key).About("The exact language tag. Without it, you get the newest transcript."),
		request.New("includeTimestamp", &d.omitTimestamps, request.Not().Default(false)).
			About("If true, txt, md, docx and html have the times. The other formats ignore it."),
		request.New("speakers", &d.speakers, request.Boolean().Default(false)).
			About("If true, txt, srt and lrc name the speakers, if they are known. The other formats always do."),
	}}
}

// readDownload reads a query. It drops options that the format ignores: the file is the
// same, and so is its ETag.
func readDownload(r *http.Request) (*download, error) {
	d := new(download)
	if err := downloadQuery(d).ReadQuery(r.URL.RawQuery); err != nil {
		return nil, err
	}
	switch d.format {
	case library.TXT:
	case library.MD, library.DOCX, library.HTML:
		d.speakers = false
	case library.SRT, library.LRC:
		d.omitTimestamps = false
	default:
		d.omitTimestamps, d.speakers = false, false
	}
	return d, nil
}

// downloadTranscript is GET /v1/library/transcripts/{platform}/{externalId}/download.
func (l *Texts) downloadTranscript(w http.ResponseWriter, r *http.Request) error {
	d, err := readDownload(r)
	if err != nil {
		return err
	}
	key, err := l.libraryKey(r)
	if err != nil {
		return err
	}
	key.Language = d.key.Language
	saved, err := l.Pipeline.Library.Saved(r.Context(), edge.Principal(r).Account, key)
	if err != nil {
		return err
	}
	etag := d.tag(saved, saved.TranscriptID, saved.ChangedAt)
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	read := l.Pipeline.Library.SavedText
	if d.format == library.VTTWords {
		read = l.Pipeline.Library.SavedTimedText
	}
	t, err := read(r.Context(), saved)
	if err != nil {
		return err
	}
	etag = d.tag(saved, t.ID, t.ChangedAt) // the text may have been made again since
	body, err := l.Recent.Remembered(etag, func() (*packed.Body, error) { return d.file(t) })
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Content-Disposition", attachment(format.FileName(&t.Transcript), d.format.Extension()))
	return edge.RespondPacked(w, r, d.format.MediaType(), http.StatusOK, body)
}

// downloadWriter changes whenever the bytes that are written for the same transcript
// change.
const downloadWriter = "file2"

// tag is the ETag of the file for a text of a saved transcript.
func (d *download) tag(of *db.Saved, id string, changed time.Time) string {
	return resource.MadeOf(id, changed, downloadWriter, of.Mark(), string(d.format), strconv.FormatBool(d.omitTimestamps), strconv.FormatBool(d.speakers))
}

// file makes the file.
func (d *download) file(t *db.Transcript) (*packed.Body, error) {
	if d.format == library.JSON { // unchanged, as it is stored
		return resource.Around(t.SegmentsJSON, func(dst, segments []byte) ([]byte, error) {
			return wire.AppendTranscript(dst, &t.Transcript, segments)
		})
	}
	b, err := d.render(t)
	if err != nil {
		return nil, err
	}
	return packed.NewBody(packed.Pack(b)), nil
}

// render makes the file of a format other than JSON.
func (d *download) render(t *db.Transcript) ([]byte, error) {
	text, err := t.Whole()
	if err != nil {
		return nil, err
	}
	if d.format == library.VTTWords {
		if text.Segments, err = timedLines(t); err != nil {
			return nil, err
		}
	}
	if d.speakers {
		text.Segments = format.NameSpeakers(text.Segments)
	}
	room := make([]byte, 0, t.SegmentsJSON.Len())
	switch d.format {
	case library.SRT:
		return format.AppendSRT(room, text.Segments), nil
	case library.VTT:
		return format.AppendVTT(room, text.Segments), nil
	case library.VTTWords:
		return format.AppendWordVTT(room, text.Segments), nil
	case library.Podcast:
		return format.AppendPodcast(room, text.Segments), nil
	case library.LRC:
		return format.AppendLRC(room, text.Segments), nil
	case library.MD:
		return format.AppendMarkdown(room, text, !d.omitTimestamps), nil
	case library.HTML:
		return format.AppendHTML(room, text, !d.omitTimestamps), nil
	case library.DOCX:
		file := bytes.NewBuffer(room)
		err := format.WriteDOCX(file, text, !d.omitTimestamps)
		return file.Bytes(), err
	}
	return format.AppendText(room, text.Segments, !d.omitTimestamps), nil
}

// timedLines returns the segments of a text that was read with its words, including the
// words.
func timedLines(t *db.Transcript) (lines []transcript.Segment, err error) {
	timed, err := view.TimedSegments(t)
	if err != nil {
		return nil, err
	}
	plain, err := timed.Plain()
	if err == nil {
		err = json.Unmarshal(plain, &lines)
	}
	return lines, err
}

// attachment returns the Content-Disposition for a file with that name and extension: in
// ASCII, for old clients, and in full.
func attachment(name, extension string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	if plain = strings.Trim(plain, "- "); plain == "" {
		plain = "transcript"
	}
	return mime.FormatMediaType("attachment", map[string]string{"filename": plain + "." + extension}) +
		"; filename*=UTF-8''" + url.PathEscape(name+"."+extension)
}
