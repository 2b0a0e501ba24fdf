package directmedia

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/trackid"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// maxText limits a transcript, in bytes. A day of speech has some two million.
const maxText = 16 << 20

// textFile is a transcript of the publisher.
type textFile struct {
	at   string
	says string // its media type as the publisher gives it
	lang string // as the publisher gives it; empty if not known
}

// track is one language of the publisher's transcripts, with the files in which it comes.
type track struct {
	transcript.Track
	files []textFile
}

// tracksOf groups the transcripts by their languages, in the order of the publisher. The files of a
// track are sorted by how likely they are to have times.
func tracksOf(files []textFile, lang string) (all []track) {
	for _, f := range files {
		tag := tagOf(f.lang)
		if f.lang == "" {
			tag = tagOf(lang)
		}
		n := slices.IndexFunc(all, func(t track) bool { return t.Lang == tag })
		if n < 0 {
			n = len(all)
			all = append(all, track{Track: transcript.Track{
				ID: trackid.New(tag, transcript.TrackManual, ""), Lang: tag, Kind: transcript.TrackManual, IsDefault: n == 0,
			}})
		}
		all[n].files = append(all[n].files, f)
	}
	for _, t := range all {
		slices.SortStableFunc(t.files, func(a, b textFile) int { return a.rank() - b.rank() })
	}
	return all
}

// tagOf returns the tag of a language as the publisher writes it; "und" if the text is
// not a tag.
func tagOf(text string) string {
	tag, err := language.Raw.Parse(strings.ReplaceAll(strings.TrimSpace(text), "_", "-"))
	if err != nil || text == "" {
		return "und"
	}
	return tag.String()
}

// rank orders the files of a track by their media types.
func (f textFile) rank() int {
	kind, _, _ := strings.Cut(strings.ToLower(f.says), ";")
	order := []string{"text/vtt", "application/x-subrip", "application/srt", "text/srt", "", "application/json", "text/html", "text/plain"}
	if n := slices.Index(order, strings.TrimSpace(kind)); n >= 0 {
		return n
	}
	return slices.Index(order, "") // by its content
}

// errUntimed means that a file is proved not to be a transcript with times.
var errUntimed = errors.New("directmedia: a text without times")

// readText lets pick choose among the publisher's transcripts, and reads the chosen one into found.
func (s *Source) readText(ctx context.Context, rec *recording, pick func([]transcript.Track) (n int, ok bool), found *engine.Captions) error {
	tracks := tracksOf(rec.texts, rec.lang)
	for {
		found.Tracks = nil
		for _, t := range tracks {
			found.Tracks = append(found.Tracks, t.Track)
		}
		picked := -1
		err := found.Choose(pick, func(n int) (caption.File, error) {
			picked = n
			return s.readTrack(ctx, rec.by, tracks[n])
		})
		if !errors.Is(err, errUntimed) {
			if err != nil {
				found.Tracks = nil
			}
			return err
		}
		tracks = slices.Delete(tracks, picked, picked+1)
	}
}

// readTrack reads the first file of a track that can be read. The error wraps errUntimed if all
// files are proved to be useless. Any other fault takes precedence, because that file may
// contain the text.
func (s *Source) readTrack(ctx context.Context, by namer, t track) (caption.File, error) {
	fault := fmt.Errorf("%w: %s", errUntimed, t.Lang)
	for _, f := range t.files {
		read, err := s.readFile(ctx, f, t.Lang)
		switch {
		case err == nil:
			return read, nil
		case ctx.Err() != nil:
			return caption.File{}, context.Cause(ctx)
		case errors.Is(err, errUntimed), errors.Is(err, errGone):
		default:
			fault = unreadable(err)
		}
	}
	return caption.File{}, fault
}

// unreadable is the error of a transcript that may contain the text, and says how to
// avoid it.
func unreadable(err error) error {
	const cure = `Ask with the language "asr" to have the speech recognized instead.`
	e := transcript.Errorf(transcript.UpstreamFailed, "The publisher's transcript cannot be read now. %s", cure).Because(err)
	if coded := (*transcript.Error)(nil); errors.As(err, &coded) {
		e.RetryAfter = coded.RetryAfter
	}
	e.Cure = cure
	return e
}

// readFile reads a transcript. Its content decides about its format.
func (s *Source) readFile(ctx context.Context, f textFile, lang string) (caption.File, error) {
	a, err := s.openDocument(ctx, publisher, f.at)
	if err != nil {
		return caption.File{}, err
	}
	defer a.close()
	data, whole, err := a.read(maxText)
	switch {
	case err != nil:
		return caption.File{}, err
	case !whole:
		return caption.File{}, errors.New("directmedia: a transcript of more than 16 MiB")
	case len(bytes.TrimSpace(data)) == 0:
		return caption.File{}, errors.New("directmedia: an empty file")
	}
	read, err := f.parse(data, lang)
	if err == nil && len(read.Segments) == 0 {
		return caption.File{}, errUntimed
	}
	return read, err
}

// parse reads the text of a file.
func (f textFile) parse(data []byte, lang string) (caption.File, error) {
	if format, ok := caption.Detect(data[:min(len(data), 1<<10)]); ok && format != caption.FormatPodcast {
		return caption.ReadAny(bytes.NewReader(data), caption.Language(lang))
	}
	begin := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case begin[0] == '{' || begin[0] == '[':
		return readJSON(begin)
	case kindOf(data) == page && f.isPage():
		return readHTML(data), nil
	case kindOf(data) == page:
		return caption.File{}, errors.New("directmedia: a web page instead of a transcript")
	case kindOf(data) == text:
		return caption.File{}, errUntimed
	}
	return caption.File{}, errors.New("directmedia: no text")
}

// isPage reports whether the publisher says that the transcript is a web page.
func (f textFile) isPage() bool {
	kind, _, _ := strings.Cut(strings.ToLower(f.says), ";")
	return strings.TrimSpace(kind) == "text/html" || strings.TrimSpace(kind) == "application/xhtml+xml"
}
