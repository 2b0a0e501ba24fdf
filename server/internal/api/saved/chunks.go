package saved

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

func (l *Texts) chunksRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/library/transcripts/{platform}/{externalId}/chunks",
		Operation: "listChunks", Tag: "library",
		Summary: "Read a saved transcript in pieces for a language model.",
		Scope:   account.Transcripts, Handle: l.listChunks,
		Path: Path(new(library.Key)), Query: new(chunkList).query(usualChunks),
		Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, Body: library.ChunkPage{}}),
		Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
	}
}

// Bounds of chunks, in characters.
const (
	minChunkChars   = 200
	maxChunkChars   = 8000
	maxOverlapChars = 500
)

// usualChunks is the usual size of a page of chunks.
const usualChunks = 50

// chunkList describes the requested list of chunks.
type chunkList struct {
	key     library.Key
	options transcript.ChunkOptions
	page    resource.Paging
}

func (l *chunkList) query(usual int) request.Table {
	return request.Table{Fields: append([]*request.Field{
		LanguageOf(&l.key).About("The exact language tag. Without it, you get the newest transcript."),
		request.New("maxChars", &l.options.MaxChars, request.Integer(minChunkChars, maxChunkChars).Default(transcript.DefaultChunkChars)).
			About("The most characters of a chunk, as readers see them: grapheme clusters."),
		request.New("overlapChars", &l.options.OverlapChars, request.Integer(0, maxOverlapChars).Default(0)).
			About("The most characters of the previous chunk's end that a chunk repeats."),
	}, l.page.Fields(200, usual)...)}
}

// chunkPlace is a place in the chunks of a text. The next page is of the same text, even if
// another text has become the newest. If the text has changed, so have its chunks.
type chunkPlace struct {
	Lang  string `json:"lang"`
	Text  string `json:"text"` // see versionOf
	Index int    `json:"index"`
}

// listChunks is GET /v1/library/transcripts/{platform}/{externalId}/chunks.
func (l *Texts) listChunks(w http.ResponseWriter, r *http.Request) error {
	var asked chunkList
	query := asked.query(usualChunks)
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	key, err := l.libraryKey(r)
	if err != nil {
		return err
	}
	asked.key.Platform, asked.key.ExternalID = key.Platform, key.ExternalID
	list := resource.ListingOf(r, query)
	from, saved, err := l.chunksOf(r.Context(), edge.Principal(r).Account, list, &asked)
	if err != nil {
		return err
	}
	etag := func(id string, changed time.Time) (string, error) {
		return edge.TagOf("chunks1", id, changed.UnixMicro(), asked.options, asked.page.MaxResults, from)
	}
	tag, err := etag(saved.TranscriptID, saved.ChangedAt)
	if err != nil {
		return err
	}
	if edge.Unchanged(w, r, tag) {
		return nil
	}
	t, err := l.Pipeline.Library.SavedTimedText(r.Context(), saved)
	if err != nil {
		return err
	}
	if tag, err = etag(t.ID, t.ChangedAt); err != nil { // the text may have been made again since
		return err
	}
	page, err := l.chunkPage(t, asked, list, from)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", tag)
	return edge.RespondJSON(w, http.StatusOK, page)
}

// chunksOf finds the requested text, and the place at which the page begins.
func (l *Texts) chunksOf(ctx context.Context, owner string, list resource.Listing, asked *chunkList) (from chunkPlace, saved *db.Saved, err error) {
	if err := list.After(asked.page.PageToken, &from); err != nil {
		return from, nil, err
	}
	key := asked.key
	key.Language = cmp.Or(from.Lang, asked.key.Language)
	saved, err = l.Pipeline.Library.Saved(ctx, owner, key)
	return from, saved, err
}

// chunkPage returns the page of a list that begins at a place.
func (l *Texts) chunkPage(t *db.Transcript, asked chunkList, list resource.Listing, from chunkPlace) (*library.ChunkPage, error) {
	segments, err := t.SegmentsJSON.Plain()
	if err != nil {
		return nil, err
	}
	words, err := t.WordsJSON.Plain()
	if err != nil {
		return nil, err
	}
	version := versionOf(t, segments, words)
	if asked.page.PageToken != "" && (from.Text != version || from.Index < 0) {
		return nil, resource.InvalidPageToken("belongs to an older version of the text: read the list from its start")
	}
	if segments, err = wire.WithWords(segments, words); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(segments, &t.Segments); err != nil {
		return nil, fmt.Errorf("server: segments of transcript %s: %w", t.ID, err)
	}
	page := &library.ChunkPage{Platform: t.Platform, ExternalID: t.ExternalID, Lang: t.Lang, Chunks: []transcript.Chunk{}}
	for chunk := range chunk.Cut(&t.Transcript, asked.options) {
		switch {
		case chunk.Index < from.Index:
			continue
		case len(page.Chunks) == asked.page.MaxResults:
			page.NextPageToken = list.Token(chunkPlace{t.Lang, version, chunk.Index})
			return page, nil
		}
		chunk.URL = resource.LinkTo(l.Sites, t.Platform, t.ExternalID, chunk.Start)
		page.Chunks = append(page.Chunks, chunk)
	}
	return page, nil
}

// versionOf distinguishes texts with different chunks.
func versionOf(t *db.Transcript, segments, words []byte) string {
	chapters, _ := json.Marshal(t.Chapters()) // of strings and finite numbers, so it never fails
	hash := sha256.New()
	for _, part := range [][]byte{segments, words, chapters} {
		fmt.Fprintf(hash, "%d:", len(part))
		_, _ = hash.Write(part) // never fails
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:8])
}
