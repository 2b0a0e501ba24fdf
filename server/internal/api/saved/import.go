package saved

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) importRoute() edge.Route {
	read := []edge.Header{edge.HeaderETag}
	return edge.Route{
		Method: http.MethodPut, Pattern: "/v1/library/transcripts/{platform}/{externalId}",
		Operation: "importTranscript", Tag: "library",
		Summary: "Replace a saved transcript with the text of a file, or add a new transcript from the file.",
		Scope:   account.Transcripts, Handle: l.importTranscript,
		Path: Path(new(library.Key)), Query: importQuery(new(library.Key)), Header: importHeader(), Conditional: true,
		Texts: map[string]string{
			"text/vtt": "A WebVTT file.", "application/x-subrip": "A SubRip file.", "text/x-sbv": "An SBV file.",
			"text/x-ssa": "A file of SubStation Alpha (ASS or SSA).", "application/json": "The JSON of podcasts or of Whisper.",
			"text/plain": "UTF-8 text: each line that is not empty is a line of the transcript. A line may begin with its time, as [00:01:02].",
		},
		Answers: []edge.Answer{
			{Status: http.StatusOK, Body: library.Saved{}, Headers: read},
			{Status: http.StatusCreated, Body: library.Saved{}, Headers: read},
		},
		Codes: []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
	}
}

func importHeader() request.Table {
	header := ifMatchHeader(new(string))
	header.Fields = append(header.Fields, resource.FileNameField())
	return header
}

// importQuery is the query of an import.
func importQuery(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{
		LanguageOf(key).About("The language of the text: a BCP 47 tag. Without it, the newest transcript is replaced."),
	}}
}

// importTranscript is PUT /v1/library/transcripts/{platform}/{externalId}.
func (l *Texts) importTranscript(w http.ResponseWriter, r *http.Request) error {
	media, _, err := edge.BodyType(r)
	if err != nil {
		return err
	}
	if !slices.Contains(corrections.MediaTypes(), media) {
		return edge.Unsupported("Send the file as one of " + strings.Join(corrections.MediaTypes(), ", ") + ", and say so in Content-Type.")
	}
	key, link, err := l.importKey(r)
	if err != nil {
		return err
	}
	var expected *corrections.Expected
	if len(r.Header["If-Match"]) > 0 {
		of, err := ifMatch(r)
		if err != nil {
			return err
		}
		expected = &of
	}
	file := corrections.File{MediaType: media, Language: key.Language}
	if file.Name, err = resource.FileName(r); err != nil {
		return err
	}
	if file.Content, err = edge.ReadBody(w, r, edge.LargestBody); err != nil {
		return err
	}
	text, created, err := l.Pipeline.Corrections.Import(context.WithoutCancel(r.Context()), edge.Principal(r), key, expected, file, link)
	if errors.Is(err, transcript.StateConflict) && expected == nil && len(r.Header["If-None-Match"]) == 0 {
		return errNoIfMatch()
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return l.respondText(w, r, status, text)
}

// importKey returns the key of an import. The link to the content is nil if there is
// none.
func (l *Texts) importKey(r *http.Request) (key library.Key, link *string, err error) {
	var asked library.Key
	if err := importQuery(&asked).ReadQuery(r.URL.RawQuery); err != nil {
		return key, nil, err
	}
	if key, err = l.libraryKey(r); err != nil {
		return key, nil, err
	}
	key.Language = asked.Language
	if list, err := transcript.ParseLanguageList(asked.Language); err == nil && len(list) == 1 && !list[0].ASR {
		key.Language = list[0].Tag // in its canonical form
	}
	if key.Platform == transcript.Upload {
		return key, nil, nil
	}
	match, err := l.Sites.Content(key.Platform, key.ExternalID)
	if err != nil {
		return key, nil, err
	}
	key.ExternalID = match.ExternalID
	return key, &match.URL, nil
}
